//===- ObjectCacheTest.cpp - Objects of earlier compilations --------------===//

#include "tapestry/Driver/ObjectCache.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tapestry/Driver/CachedObject.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <thread>

using namespace tapestry;
using namespace tapestry::driver;
namespace fs = llvm::sys::fs;

namespace {

/// A folder that goes away.
class ObjectCacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("tapestry-objects", folder));
  }
  void TearDown() override { (void)fs::remove_directories(folder); }

  std::string pathOf(llvm::StringRef key) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, "llvmcache-" + key);
    return std::string(path);
  }
  void write(llvm::StringRef key, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(pathOf(key), error) << bytes;
    ASSERT_FALSE(error);
  }
  std::string read(llvm::StringRef key) {
    auto bytes = llvm::MemoryBuffer::getFile(pathOf(key));
    return bytes ? (*bytes)->getBuffer().str() : "";
  }
  /// When an entry was used last, in seconds from a minute ago: after it was
  /// written, and of late, so that reading it alone need not set the time.
  void setUsed(llvm::StringRef key, int seconds) {
    int descriptor;
    ASSERT_FALSE(fs::openFileForReadWrite(pathOf(key), descriptor,
                                          fs::CD_OpenExisting, fs::OF_None));
    ASSERT_FALSE(fs::setLastAccessAndModificationTime(
        descriptor, start + std::chrono::seconds(seconds),
        start - std::chrono::minutes(1)));
    (void)fs::closeFile(descriptor);
  }
  static std::string contents(std::unique_ptr<llvm::MemoryBuffer> object) {
    return object ? object->getBuffer().str() : "nothing";
  }

  llvm::SmallString<128> folder;
  const llvm::sys::TimePoint<> start =
      std::chrono::system_clock::now() - std::chrono::minutes(1);
};

TEST_F(ObjectCacheTest, GivesWhatItWasGiven) {
  ObjectCache cache{std::string(folder)};
  EXPECT_EQ(contents(cache.find("a")), "nothing");
  cache.keep("a", llvm::StringRef("\0one", 4));
  cache.keep("b", "");
  EXPECT_EQ(contents(cache.find("a")), std::string("\0one", 4));
  EXPECT_EQ(contents(cache.find("b")), "");
  cache.keep("a", "two");
  EXPECT_EQ(contents(cache.find("a")), "two");
  auto counted = cache.count();
  ASSERT_TRUE(bool(counted));
  EXPECT_EQ(counted->objects, 2u);
  EXPECT_EQ(counted->bytes, 3u + 2 * 32);
  EXPECT_FALSE(bool(cache.clear()));
  EXPECT_EQ(contents(cache.find("a")), "nothing");
}

TEST_F(ObjectCacheTest, WhatIsNotAsItWasWrittenIsNone) {
  ObjectCache cache{std::string(folder)};
  cache.keep("a", "an object");
  const std::string whole = read("a");
  ASSERT_EQ(whole.size(), 9u + 32);
  std::vector<std::string> wrong = {"", whole + "x", "x" + whole};
  for (size_t length = 0; length < whole.size(); ++length)
    wrong.push_back(whole.substr(0, length));
  for (size_t place = 0; place < whole.size(); ++place) {
    wrong.push_back(whole);
    wrong.back()[place] ^= 1;
  }
  for (const std::string &bytes : wrong) {
    write("a", bytes);
    EXPECT_EQ(contents(cache.find("a")), "nothing") << bytes.size();
    EXPECT_FALSE(fs::exists(pathOf("a")));
  }
  // An entry under another's name.
  write("b", whole);
  EXPECT_EQ(contents(cache.find("b")), "nothing");
  write("a", whole);
  EXPECT_EQ(contents(cache.find("a")), "an object");
}

TEST_F(ObjectCacheTest, WhatWasUsedLastStays) {
  const std::string object(100, 'x');
  for (ObjectCache::Limits limits :
       {ObjectCache::Limits{1 << 20, 3}, ObjectCache::Limits{3 * 132 + 1, 9}}) {
    ObjectCache cache{std::string(folder), limits};
    int time = 0;
    for (const char *key : {"a", "b", "c"}) {
      cache.keep(key, object);
      setUsed(key, time++);
    }
    // This is a use, the last.
    EXPECT_EQ(contents(cache.find("a")), object);
    cache.keep("d", object);
    EXPECT_FALSE(fs::exists(pathOf("b")));
    for (const char *key : {"a", "c", "d"})
      EXPECT_EQ(contents(cache.find(key)), object) << key;
    // No entry makes room for one that is too large itself.
    cache.keep("e", std::string(limits.bytes + 1, 'x'));
    EXPECT_FALSE(fs::exists(pathOf("e")));
    EXPECT_EQ(contents(cache.find("d")), object);
    EXPECT_FALSE(bool(cache.clear()));
  }
}

TEST_F(ObjectCacheTest, WhatAKilledProcessLeftGoes) {
  write("0123456789ab.tmp", "half an obj");
  setUsed("0123456789ab.tmp", 0);
  ObjectCache cache{std::string(folder), {1 << 20, 1}};
  cache.keep("a", "object");
  EXPECT_FALSE(fs::exists(pathOf("0123456789ab.tmp")));
  EXPECT_EQ(contents(cache.find("a")), "object");
}

TEST_F(ObjectCacheTest, AFolderThatIsNotThereIsNoError) {
  ObjectCache cache{std::string(folder) + "/none"};
  cache.keep("a", "object");
  // As where it vanishes just after.
  cache.prune();
  EXPECT_EQ(contents(cache.find("a")), "nothing");
  auto counted = cache.count();
  ASSERT_TRUE(bool(counted));
  EXPECT_EQ(counted->objects, 0u);
  EXPECT_FALSE(bool(cache.clear()));
}

TEST_F(ObjectCacheTest, ManyWriteAndReadAtATime) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      ObjectCache cache{std::string(folder), {1 << 20, 2}};
      for (int turn = 0; turn < 50; ++turn)
        for (const char *key : {"a", "b", "c"}) {
          cache.keep(key, std::string(1000, *key));
          if (auto found = cache.find(key))
            wrong += found->getBuffer() != std::string(1000, *key);
        }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

/// Compilations of a module by a compiler that counts what it makes.
class CachedObjectTest : public ObjectCacheTest {
protected:
  void SetUp() override {
    ObjectCacheTest::SetUp();
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    options.quiet = true;
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    ObjectCacheTest::TearDown();
  }

  /// What is compiled for a module of this name at this line.
  std::string compile(llvm::StringRef name, unsigned line = 1) {
    mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(
        mlir::FileLineColLoc::get(&context, "p.ein", line, 1), name));
    std::unique_ptr<llvm::MemoryBuffer> object;
    auto make = [&](std::unique_ptr<llvm::MemoryBuffer> &result) {
      ++made;
      if (warns)
        module->emitWarning("take care");
      if (fails)
        return ExitBadInput;
      result = llvm::MemoryBuffer::getMemBufferCopy(name);
      return ExitDone;
    };
    ExitStatus status = cachedObject(options, codegen, *module, make, object);
    return status == ExitDone ? object->getBuffer().str() : "failed";
  }

  mlir::MLIRContext context;
  Options options;
  CodegenOptions codegen;
  int made = 0;
  bool warns = false, fails = false;
};

TEST_F(CachedObjectTest, ModulesAndOptionsHaveObjectsOfTheirOwn) {
  EXPECT_EQ(compile("a"), "a");
  EXPECT_EQ(compile("a", /*line=*/2), "a");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(compile("b"), "b");
  EXPECT_EQ(made, 2);
  codegen.targetCPU = "x86-64-v2";
  compile("a");
  EXPECT_EQ(made, 3);
  codegen.vectorBits = 128;
  compile("a");
  EXPECT_EQ(made, 4);
  codegen.formKernels = false;
  compile("a");
  EXPECT_EQ(made, 5);
  codegen.target = "other";
  compile("a");
  EXPECT_EQ(made, 6);
  compile("a");
  EXPECT_EQ(made, 6);
}

TEST_F(CachedObjectTest, WhatIsSaidIsSaidAgain) {
  int said = 0;
  mlir::ScopedDiagnosticHandler count(&context,
                                      [&](mlir::Diagnostic &) { ++said; });
  warns = true;
  EXPECT_EQ(compile("a"), "a");
  EXPECT_EQ(compile("a"), "a");
  EXPECT_EQ(made, 2);
  EXPECT_EQ(said, 2);
  warns = false;
  EXPECT_EQ(compile("a"), "a");
  EXPECT_EQ(compile("a"), "a");
  EXPECT_EQ(made, 3);
  EXPECT_EQ(said, 2);
}

TEST_F(CachedObjectTest, WhatFailsIsTriedAgain) {
  fails = true;
  EXPECT_EQ(compile("a"), "failed");
  EXPECT_EQ(compile("a"), "failed");
  EXPECT_EQ(made, 2);
  fails = false;
  EXPECT_EQ(compile("a"), "a");
  EXPECT_EQ(made, 3);
}

} // namespace

//===- NpyTest.cpp - Tests of tensor files --------------------------------===//

#include "Core/Types.h"
#include "IO/TensorFile.h"
#include "Testing.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;
using namespace tapestry::rt::testing;

namespace {

/// A tensor description that owns what it points to.
struct Described {
  std::vector<int64_t> shape;
  TapestryTensor tensor;
  Described(int32_t dtype, std::vector<int64_t> extents)
      : shape(std::move(extents)),
        tensor{"A",          dtype,   static_cast<int32_t>(shape.size()),
               shape.data(), nullptr, nullptr} {}
};

std::string randomBytes(int64_t count, std::mt19937 &random) {
  std::string bytes(count, '\0');
  for (char &byte : bytes)
    byte = static_cast<char>(random());
  return bytes;
}

/// The elements of a row-major tensor in Fortran order.
std::string fortranOrder(const std::string &data,
                         const std::vector<int64_t> &shape, int64_t size) {
  std::vector<int64_t> reversed(shape.rbegin(), shape.rend());
  std::string result(data.size(), '\0');
  std::vector<int64_t> at(shape.size(), 0);
  for (size_t element = 0; element * size < data.size(); ++element) {
    size_t rest = element;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      at[dim] = static_cast<int64_t>(rest) % shape[dim];
    int64_t offset = 0;
    for (size_t dim = shape.size(); dim-- > 0;)
      offset = offset * shape[dim] + at[dim];
    result.replace(offset * size, size, data, element * size, size);
  }
  return result;
}

std::string openError(const std::string &path, const TapestryTensor &tensor) {
  InputFile file;
  Status status = file.open(path, tensor);
  EXPECT_EQ(status.exitStatus(), ExitBadInput);
  return status.message();
}

const char *const descrOf[] = {"<f8", "<f4", "<f2", "<V2", "|i1",
                               "<i2", "<i4", "<i8", "|b1", "|u1",
                               "<u2", "<u4", "<u8", "<c8", "<c16"};

} // namespace

/// All versions, both orders, all types, ranks 0 to 4, random parts.
TEST(Npy, ReadsAnyPartOfAnyFile) {
  TempFolder folder;
  std::mt19937 random(21);
  for (int round = 0; round < 390; ++round) {
    int32_t dtype = round % 15;
    int64_t size = dtypeSize(dtype);
    std::vector<int64_t> shape;
    for (int dim = 0; dim < round / 15 % 5; ++dim)
      shape.push_back(1 + random() % 8);
    Described described(dtype, shape);
    std::string data = randomBytes(volume(boxOfShape(shape)) * size, random);
    if (dtype == TAPESTRY_BOOL)
      for (char &byte : data)
        byte &= 1;
    bool fortran = round % 2;
    std::string path = folder.file("a.npy");
    writeFile(path, npyBytes(descrOf[dtype], fortran, shape,
                             fortran ? fortranOrder(data, shape, size) : data,
                             1 + round % 3));
    InputFile file;
    Status status = file.open(path, described.tensor);
    ASSERT_FALSE(status.failed()) << status.message();
    for (int part = 0; part < 6; ++part) {
      Box box = part == 0 ? boxOfShape(shape) : randomBox(shape, random);
      std::string expected;
      forEachPoint(shape, box, [&](int64_t offset) {
        expected += data.substr(offset * size, size);
      });
      std::string found(expected.size(), '?');
      status = file.read(box, found.data());
      ASSERT_FALSE(status.failed()) << status.message();
      ASSERT_EQ(found, expected) << "round " << round << " " << boxText(box);
    }
  }
}

/// Larger than the windows and tiles that files are read by.
TEST(Npy, ReadsLargeFilesInParts) {
  TempFolder folder;
  std::mt19937 random(22);
  std::vector<int64_t> shape = {1500, 3, 701};
  Described described(TAPESTRY_I32, shape);
  std::vector<int32_t> values =
      randomValues<int32_t>(volume(boxOfShape(shape)), random);
  for (bool fortran : {false, true}) {
    std::string path = folder.file("a.npy");
    std::string data = bytesOf(values);
    writeFile(path, npyBytes("<i4", fortran, shape,
                             fortran ? fortranOrder(data, shape, 4) : data));
    InputFile file;
    ASSERT_FALSE(file.open(path, described.tensor).failed());
    for (const Box &box :
         {boxOfShape(shape), Box{{3, 1499}, {0, 3}, {100, 350}},
          Box{{0, 1500}, {1, 2}, {700, 701}}, Box{{700, 701}, {0, 3}, {0, 701}},
          Box{{10, 1400}, {0, 2}, {5, 7}}}) {
      std::vector<int32_t> found(volume(box), -1);
      ASSERT_FALSE(file.read(box, found.data()).failed());
      EXPECT_TRUE(found == extract(values, shape, box)) << boxText(box);
    }
  }
}

TEST(Npy, AcceptsOtherWritersHeaders) {
  TempFolder folder;
  Described described(TAPESTRY_I64, {2, 3});
  std::string data = bytesOf(std::vector<int64_t>{5, -1, 7, 0, 2, 9});
  std::string path = folder.file("a.npy");
  std::string text = "{ \"shape\":(2L ,3L) , \"fortran_order\" : False,\n"
                     "\"descr\":\"<i8\"}\n";
  std::string header = std::string("\x93NUMPY\x01\0", 8);
  header += static_cast<char>(text.size());
  header += '\0';
  writeFile(path, header + text + data);
  InputFile file;
  Status status = file.open(path, described.tensor);
  ASSERT_FALSE(status.failed()) << status.message();
  std::string found(data.size(), '\0');
  ASSERT_FALSE(file.read(boxOfShape({2, 3}), found.data()).failed());
  EXPECT_EQ(found, data);
}

TEST(Npy, OneNumberInParenthesesIsNoShape) {
  TempFolder folder;
  Described described(TAPESTRY_I8, {3});
  std::string path = folder.file("a.npy");
  std::string bytes = npyBytes("|i1", false, {3}, "abc");
  writeFile(path, bytes.replace(bytes.find("(3,)"), 4, "(3) "));
  EXPECT_NE(openError(path, described.tensor).find("malformed header"),
            std::string::npos);
}

/// NumPy takes the last one; which one was meant nobody knows.
TEST(Npy, NoKeyStandsTwice) {
  TempFolder folder;
  Described described(TAPESTRY_I8, {3});
  std::string path = folder.file("a.npy");
  for (const char *key :
       {"'descr': '|i1'", "'fortran_order': False", "'shape': (3,)"}) {
    std::string bytes = npyBytes("|i1", false, {3}, "abc");
    size_t end = bytes.find('}');
    std::string again = std::string(", ") + key + "}";
    writeFile(path, bytes.replace(end, again.size(), again));
    EXPECT_NE(openError(path, described.tensor).find("malformed header"),
              std::string::npos)
        << key;
  }
}

TEST(Npy, ElementTypes) {
  EXPECT_TRUE(descrMatches("<V2", TAPESTRY_BF16));
  EXPECT_TRUE(descrMatches("|V2", TAPESTRY_BF16));
  EXPECT_TRUE(descrMatches("<u2", TAPESTRY_BF16));
  EXPECT_FALSE(descrMatches("<f2", TAPESTRY_BF16));
  EXPECT_FALSE(descrMatches("<V2", TAPESTRY_F16));
  EXPECT_TRUE(descrMatches("<i1", TAPESTRY_I8));
  EXPECT_TRUE(descrMatches("|b1", TAPESTRY_BOOL));
  EXPECT_FALSE(descrMatches("|u1", TAPESTRY_I8));
  EXPECT_TRUE(descrMatches("|u1", TAPESTRY_U8));
  EXPECT_TRUE(descrMatches("<u2", TAPESTRY_U16));
  EXPECT_FALSE(descrMatches("<V2", TAPESTRY_U16));
  EXPECT_TRUE(descrMatches("<u8", TAPESTRY_U64));
  EXPECT_FALSE(descrMatches(">u4", TAPESTRY_U32));
  EXPECT_EQ(descrText("<u2"), "u16 ('<u2')");
  EXPECT_TRUE(descrMatches("<c8", TAPESTRY_C64));
  EXPECT_TRUE(descrMatches("<c16", TAPESTRY_C128));
  EXPECT_FALSE(descrMatches("|c16", TAPESTRY_C128));
  EXPECT_FALSE(descrMatches(">c8", TAPESTRY_C64));
  EXPECT_FALSE(descrMatches(">f4", TAPESTRY_F32));
  EXPECT_FALSE(descrMatches("<f40", TAPESTRY_F32));
  EXPECT_FALSE(descrMatches("", TAPESTRY_F32));
  EXPECT_EQ(descrText("<f4"), "f32 ('<f4')");
  EXPECT_EQ(descrText(">f4"), "big-endian '>f4'");
}

/// NumPy takes any byte but 0 for true; programs compute with 1.
TEST(Npy, BooleansBecomeZeroOrOne) {
  TempFolder folder;
  Described described(TAPESTRY_BOOL, {4});
  writeFile(folder.file("a.npy"),
            npyBytes("|b1", false, {4}, std::string("\x00\x01\x07\xff", 4)));
  InputFile file;
  ASSERT_FALSE(file.open(folder.file("a.npy"), described.tensor).failed());
  std::string found(4, '?');
  ASSERT_FALSE(file.read(boxOfShape({4}), found.data()).failed());
  EXPECT_EQ(found, std::string("\x00\x01\x01\x01", 4));
}

//===----------------------------------------------------------------------===//
// Wrong files
//===----------------------------------------------------------------------===//

TEST(Npy, SaysWhatIsWrong) {
  TempFolder folder;
  std::string path = folder.file("a.npy");
  Described described(TAPESTRY_F32, {2, 3});
  std::string data(24, 'x');
  auto error = [&](const std::string &bytes) {
    writeFile(path, bytes);
    std::string message = openError(path, described.tensor);
    std::string prefix = path + ": error: ";
    EXPECT_EQ(message.substr(0, prefix.size()), prefix);
    return message.substr(std::min(prefix.size(), message.size()));
  };
  EXPECT_EQ(error(npyBytes("<f8", false, {2, 3}, data + data)),
            "holds f64 ('<f8'), but input 'A' takes f32");
  EXPECT_EQ(error(npyBytes(">f4", false, {2, 3}, data)),
            "holds big-endian '>f4', but input 'A' takes f32");
  EXPECT_EQ(error(npyBytes("<f4", false, {3, 2}, data)),
            "has shape [3, 2], but input 'A' has [2, 3]");
  EXPECT_EQ(error(npyBytes("<f4", false, {6}, data)),
            "has shape [6], but input 'A' has [2, 3]");
  EXPECT_EQ(error(npyBytes("<f4", false, {2, 3}, data.substr(1))),
            "truncated: has 23 bytes of data, its shape needs 24");
  EXPECT_EQ(error(npyBytes("<f4", false, {2, 3}, data + "y")),
            "too long: has 25 bytes of data, its shape needs 24");
  EXPECT_EQ(error(""), "not an .npy file: 0 bytes");
  EXPECT_EQ(error("PK\x03\x04 and so on"),
            "not an .npy file: it does not start with \\x93NUMPY");
  EXPECT_EQ(error(npyBytes("<f4", false, {2, 3}, data, 4)),
            "has .npy format 4.0; 1.0, 2.0 and 3.0 are supported");
  std::string good = npyBytes("<f4", false, {2, 3}, data);
  EXPECT_EQ(error(good.substr(0, 40)), "truncated: the header ends at byte " +
                                           std::to_string(good.size() - 24) +
                                           ", the file has 40");
}

/// Every header that is cut, or has one byte changed, is read or refused.
TEST(Npy, MalformedHeadersNeverCrash) {
  // In memory: thousands of small files are slow on a disk.
  int memory = memfd_create("a.npy", 0);
  ASSERT_GE(memory, 0);
  std::string path = "/proc/self/fd/" + std::to_string(memory);
  auto write = [&](const std::string &bytes) {
    ASSERT_EQ(ftruncate(memory, 0), 0);
    ASSERT_EQ(pwrite(memory, bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  };
  Described described(TAPESTRY_F32, {2, 3});
  std::mt19937 random(23);
  for (int major = 1; major <= 3; ++major) {
    std::string good =
        npyBytes("<f4", false, {2, 3}, std::string(24, 'x'), major);
    for (size_t length = 0; length < good.size(); ++length) {
      write(good.substr(0, length));
      openError(path, described.tensor);
    }
    for (int round = 0; round < 2000; ++round) {
      std::string bytes = good;
      for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
        bytes[random() % (good.size() - 24)] = static_cast<char>(
            random() % 2 ? random() : "{}()[]'\",:0TF<"[random() % 14]);
      write(bytes);
      InputFile file;
      Status status = file.open(path, described.tensor);
      if (!status.failed()) {
        std::string found(24, '?');
        EXPECT_FALSE(file.read(boxOfShape({2, 3}), found.data()).failed());
      }
    }
  }
  close(memory);
}

TEST(Npy, SaysWhyAFileCannotBeOpened) {
  TempFolder folder;
  Described described(TAPESTRY_F32, {2});
  EXPECT_EQ(openError(folder.file("none.npy"), described.tensor),
            folder.file("none.npy") +
                ": error: cannot open: No such file or directory");
  EXPECT_EQ(openError(folder.str(), described.tensor),
            folder.str() + ": error: cannot open: Is a directory");
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(openError(folder.file("pipe"), described.tensor),
            folder.file("pipe") + ": error: cannot open: not a regular file");
}

TEST(Npy, FileThatShrinksWhileItIsRead) {
  TempFolder folder;
  Described described(TAPESTRY_F32, {8});
  std::string path = folder.file("a.npy");
  writeFile(path, npyBytes("<f4", false, {8}, std::string(32, 'x')));
  InputFile file;
  ASSERT_FALSE(file.open(path, described.tensor).failed());
  ASSERT_EQ(truncate(path.c_str(), 100), 0);
  std::string found(32, '?');
  Status status = file.read(boxOfShape({8}), found.data());
  EXPECT_EQ(status.exitStatus(), ExitBadInput);
  EXPECT_NE(status.message().find("became shorter"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

TEST(Npy, WritesPartsThatReadBack) {
  TempFolder folder;
  std::mt19937 random(24);
  for (int round = 0; round < 45; ++round) {
    int32_t dtype = round % 9;
    int64_t size = dtypeSize(dtype);
    std::vector<int64_t> shape;
    for (int dim = 0; dim < round % 4; ++dim)
      shape.push_back(1 + random() % 9);
    Described described(dtype, shape);
    std::string data = randomBytes(volume(boxOfShape(shape)) * size, random);
    std::string path = folder.file("f.npy");
    OutputFile file;
    ASSERT_FALSE(file.prepare(path, described.tensor).failed());
    file.nameAside(round);
    ASSERT_FALSE(file.create().failed());
    int parts = shape.empty() ? 1 : 3;
    std::vector<Box> boxes(parts, boxOfShape(shape));
    if (!shape.empty())
      boxes = cutBoxes(shape, static_cast<int>(random() % shape.size()), 3);
    for (const Box &box : boxes) {
      std::string part;
      forEachPoint(shape, box, [&](int64_t offset) {
        part += data.substr(offset * size, size);
      });
      ASSERT_FALSE(file.write(box, part.data()).failed());
    }
    EXPECT_EQ(folder.entries().size(), round == 0 ? 1u : 2u);
    ASSERT_FALSE(file.close().failed());
    ASSERT_FALSE(file.commit().failed());
    std::string written = readFile(path);
    EXPECT_EQ(npyData(written), data);
    EXPECT_EQ((written.size() - data.size()) % 64, 0u);
    EXPECT_NE(written.find(std::string("'descr': '") + descrOf[dtype] + "'"),
              std::string::npos);
    EXPECT_EQ(folder.entries(), std::vector<std::string>{"f.npy"});
  }
}

TEST(Npy, SaysWhyAFileCannotBeWritten) {
  TempFolder folder;
  Described described(TAPESTRY_F32, {2});
  auto error = [&](const std::string &path, ExitStatus exit = ExitBadInput) {
    OutputFile file;
    Status status = file.prepare(path, described.tensor);
    EXPECT_EQ(status.exitStatus(), exit);
    return status.message();
  };
  std::string none = folder.file("none/f.npy");
  EXPECT_EQ(error(none),
            none + ": error: cannot write: No such file or directory");
  EXPECT_EQ(error(folder.str()),
            folder.str() + ": error: cannot write: Is a directory");
  writeFile(folder.file("plain"), "x");
  std::string below = folder.file("plain/f.npy");
  EXPECT_EQ(error(below), below + ": error: cannot write: Not a directory");
  EXPECT_EQ(error("/dev/null", ExitDone), "");
  if (geteuid() != 0) {
    ASSERT_EQ(chmod(folder.str().c_str(), 0500), 0);
    std::string file = folder.file("f.npy");
    EXPECT_EQ(error(file), file + ": error: cannot write: Permission denied");
    chmod(folder.str().c_str(), 0700);
  }
  described = Described(TAPESTRY_F32, {int64_t(1) << 50});
  described.tensor.shape = described.shape.data();
  std::string message = error(folder.file("huge.npy"), ExitEnvironment);
  EXPECT_NE(message.find("needs 4.0 PiB, "), std::string::npos) << message;
}

TEST(Npy, ReplacesWhatALinkPointsTo) {
  TempFolder folder;
  writeFile(folder.file("real.npy"), "old");
  ASSERT_EQ(chmod(folder.file("real.npy").c_str(), 0640), 0);
  ASSERT_EQ(symlink("real.npy", folder.file("link.npy").c_str()), 0);
  Described described(TAPESTRY_I8, {2});
  OutputFile file;
  ASSERT_FALSE(
      file.prepare(folder.file("link.npy"), described.tensor).failed());
  file.nameAside(1);
  ASSERT_FALSE(file.create().failed());
  ASSERT_FALSE(file.write(boxOfShape({2}), "ab").failed());
  ASSERT_FALSE(file.close().failed());
  ASSERT_FALSE(file.commit().failed());
  EXPECT_EQ(npyData(readFile(folder.file("real.npy"))), "ab");
  struct stat info;
  ASSERT_EQ(lstat(folder.file("link.npy").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  ASSERT_EQ(stat(folder.file("real.npy").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST(Npy, UnfinishedFilesAreRemoved) {
  TempFolder folder;
  Described described(TAPESTRY_F32, {2});
  OutputFile file;
  ASSERT_FALSE(file.prepare(folder.file("f.npy"), described.tensor).failed());
  file.nameAside(9);
  ASSERT_FALSE(file.create().failed());
  EXPECT_EQ(folder.entries().size(), 1u);
  removeTemporaries();
  EXPECT_TRUE(folder.entries().empty());
}

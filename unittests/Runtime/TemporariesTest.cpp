//===- TemporariesTest.cpp ------------------------------------------------===//

#include "Testing.h"
#include "tapestry-rt/Files.h"
#include <gtest/gtest.h>
#include <thread>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

/// Ranks of one process note and forget their files at once, and one that fails
/// removes what is there. What this guards shows under sanitizers.
TEST(Temporaries, AreNotedForgottenAndRemovedAtOnce) {
  TempFolder folder;
  writeFile(folder.file("noted"), "");
  writeFile(folder.file("forgotten"), "");
  noteTemporary(folder.file("noted"));
  noteTemporary(folder.file("forgotten"));
  forgetTemporary(folder.file("forgotten"));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 7; ++thread)
    threads.emplace_back([&folder, thread] {
      std::string name = folder.file("thread" + std::to_string(thread));
      for (int i = 0; i < 301; ++i) {
        noteTemporary(name);
        if (thread == 0)
          unlinkTemporaries();
        forgetTemporary(name);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  removeTemporaries();
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"forgotten"});
}

//===- NewFileTest.cpp - Tests of writing files whole or not at all -------===//

#include "Testing.h"
#include "tapestry-rt/Files.h"
#include "gtest/gtest.h"
#include <sys/wait.h>
#include <unistd.h>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

/// None takes what another has just created for what a killed one left.
TEST(NewFile, TakesManyWritersOfOneName) {
  TempFolder folder;
  const std::string path = folder.file("z.npy");
  constexpr int numWriters = 5;
  for (int writer = 0; writer < numWriters; ++writer) {
    if (fork() != 0)
      continue;
    int failures = 0;
    for (int i = 0; i < 1009; ++i)
      if (Status status = putFile(path, "whole"); status.failed())
        if (++failures == 1)
          fprintf(stderr, "%s\n", status.message().c_str());
    _exit(failures != 0);
  }
  for (int writer = 0; writer < numWriters; ++writer) {
    int status = -1;
    EXPECT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(readFile(path), "whole");
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"z.npy"});
}

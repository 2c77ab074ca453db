//===- Results.cpp - What a user sees of a run ----------------------------===//

#include "Run/Results.h"
#include "Core/Types.h"
#include <cstdio>
#include <new>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

void tapestry::rt::showResults(Job &job,
                               const std::vector<const void *> &numbers) {
  const TapestryProgram &program = job.program;
  job.progress.clear();
  std::string left;
  for (int32_t i = 0; i < program.num_outputs; ++i) {
    const TapestryTensor &output = program.outputs[i];
    // The program itself has asked for its file.
    if (job.outputs[i])
      continue;
    if (output.rank != 0)
      left += (left.empty() ? "" : ", ") +
              format("%s %s", output.name, typeText(output).c_str());
    else if (numbers[i])
      printf("%s = %s\n", printable(output.name).c_str(),
             valueText(output.dtype, numbers[i]).c_str());
  }
  if (!left.empty() && job.options.progress)
    fprintf(stderr, "%s: not written (-o NAME=FILE does): %s\n",
            job.options.tool.c_str(), printable(left, 1000).c_str());
}

void tapestry::rt::printMessage(Job &job, const std::string &message) {
  job.progress.clear();
  // Messages that end in a list end their last line themselves.
  bool ended = !message.empty() && message.back() == '\n';
  fprintf(stderr, ended ? "%s" : "%s\n", printableLines(message).c_str());
}

static void onNoMemory() {
  static const char text[] =
      "error: out of memory: none left even for the runtime's own tables\n";
  (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
  unlinkTemporaries();
  _exit(ExitEnvironment);
}

NewHandlerGuard::NewHandlerGuard()
    : previous(std::set_new_handler(onNoMemory)) {}

NewHandlerGuard::~NewHandlerGuard() { std::set_new_handler(previous); }

//===- Stage.cpp - What the driver is doing -------------------------------===//

#include "tapestry/Driver/Stage.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

using namespace tapestry::driver;

Stage::Stage(const Options &options, const char *name)
    : options(options), name(name) {
  auto run = [](void *stage) -> void * {
    static_cast<Stage *>(stage)->tell();
    return nullptr;
  };
  // Where there is no thread for it, nothing is told.
  hasTeller =
      !options.quiet && pthread_create(&teller, nullptr, run, this) == 0;
}

void Stage::tell() {
  // Signals are for the thread that starts other programs, and blocks them
  // while it does.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  bool terminal = llvm::errs().is_displayed();
  std::chrono::seconds pause(terminal ? 1 : 10);
  std::unique_lock<std::mutex> lock(mutex);
  while (!changed.wait_for(lock, pause, [&] { return over; })) {
    llvm::errs() << (terminal ? "\x1b[K" : "") << "tapestry: " << name
                 << llvm::format(", %.0f s", seconds())
                 << (terminal ? "\r" : "\n");
    visible = terminal;
  }
}

Stage::~Stage() {
  if (hasTeller) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      over = true;
    }
    changed.notify_all();
    pthread_join(teller, nullptr);
  }
  if (visible)
    llvm::errs() << "\x1b[K";
  if (options.verbose)
    llvm::errs() << "tapestry: " << name
                 << llvm::format(" took %.3g s\n", seconds());
}

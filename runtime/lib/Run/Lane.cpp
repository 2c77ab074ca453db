//===- Lane.cpp - What a rank does beside its program ---------------------===//

#include "Run/Lane.h"
#include "Core/Machine.h"
#include "Run/Threads.h"
#include "tapestry-rt/Files.h"

using namespace tapestry;
using namespace tapestry::rt;

Status Lane::start(Work work, int64_t &number) {
  if (!hasThread) {
    if (int error = startThread(thread, runThread, this))
      return Status::failure(
          ExitEnvironment,
          format("cannot start the thread that communicates: %s",
                 errnoText(error).c_str()));
    hasThread = true;
  }
  number = ++started;
  {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back(std::move(work));
  }
  changed.notify_all();
  return Status::success();
}

Status Lane::wait(int64_t number) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return done >= number || ends; });
  return done >= number ? failure : Status::stopped();
}

void Lane::stop() {
  if (!hasThread)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    ends = true;
  }
  changed.notify_all();
  pthread_join(thread, nullptr);
  hasThread = false;
}

void *Lane::runThread(void *lane) {
  static_cast<Lane *>(lane)->run();
  return nullptr;
}

void Lane::run() {
  stayOnCores(cores);
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return ends || !queue.empty(); });
    if (ends)
      return;
    Work work = std::move(queue.front());
    queue.pop_front();
    if (!failure.failed()) {
      lock.unlock();
      Status status = work();
      lock.lock();
      failure = status;
    }
    ++done;
    changed.notify_all();
  }
}

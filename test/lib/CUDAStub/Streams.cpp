//===- Streams.cpp - What streams of the tests' driver do -----------------===//

#include "Streams.h"
#include <chrono>
#include <vector>

using namespace tapestry::stub;

StreamQueue::~StreamQueue() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ends = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

void StreamQueue::tell(std::unique_ptr<Work> work) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    works.push_back(std::move(work));
    ++told;
    if (!thread.joinable())
      thread = std::thread([this] { loop(); });
  }
  changed.notify_all();
}

void StreamQueue::wait(uint64_t number) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return done >= number || isStuck; });
}

bool StreamQueue::isDone(uint64_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  return done >= number;
}

uint64_t StreamQueue::toldSoFar() {
  std::lock_guard<std::mutex> lock(mutex);
  return told;
}

void StreamQueue::loop() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return ends || !works.empty(); });
    if (works.empty())
      return;
    std::unique_ptr<Work> work = std::move(works.front());
    works.pop_front();
    lock.unlock();
    work->run();
    lock.lock();
    while (work->isStuck() && !ends) {
      isStuck = true;
      changed.notify_all();
      changed.wait_for(lock, std::chrono::milliseconds(1));
    }
    isStuck = false;
    ++done;
    changed.notify_all();
  }
}

StreamQueue *Streams::make(int device) {
  auto queue = std::make_shared<StreamQueue>(device);
  std::lock_guard<std::mutex> lock(mutex);
  queues[queue.get()] = queue;
  return queue.get();
}

void Streams::end(StreamQueue *queue) {
  std::shared_ptr<StreamQueue> last;
  std::lock_guard<std::mutex> lock(mutex);
  last.swap(queues[queue]);
  queues.erase(queue);
}

std::shared_ptr<StreamQueue> Streams::find(StreamQueue *queue) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = queues.find(queue);
  return found == queues.end() ? nullptr : found->second;
}

void Streams::settle(int device) {
  std::vector<std::shared_ptr<StreamQueue>> own;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &[known, queue] : queues)
      if (queue->device == device)
        own.push_back(queue);
  }
  // Others go on meanwhile.
  for (auto &queue : own)
    queue->settle();
}

//===- Session.cpp - Named tensors on the ranks of this process -----------===//

#include "Session/Session.h"
#include "Core/Machine.h"
#include "Run/Threads.h"

using namespace tapestry;
using namespace tapestry::rt;

static Status wrong(const std::string &message) {
  return Status::failure(ExitBadInput, "error: " + message);
}

Session::Session(const TapestrySessionOptions &options)
    : progress(options.progress != 0), limit(options.memory_limit), budget(0) {
  budget.isRoomy = limit == 0;
  // What the ranks of a program take is checked where that is planned.
  if (__builtin_mul_overflow(limit, options.devices, &budget.limit))
    budget.limit = INT64_MAX;
  for (int64_t rank = 0; rank < options.devices; ++rank)
    arenas.push_back(std::make_unique<Arena>(budget));
}

Status Session::onRanks(const std::function<Status(int rank)> &work) const {
  return runThreads(static_cast<int>(ranks()), [&](LocalHub &hub, int rank) {
    Status status = work(rank);
    if (status.failed())
      hub.abort(status.exitStatus(), status.message().c_str());
    hub.leave();
  });
}

void Session::updateBudget() {
  if (limit == 0)
    budget.limit = budget.used + availableMemory();
}

Status Session::allocate(HeldTensor &tensor, const std::string &name) {
  for (int rank = 0; rank < static_cast<int>(ranks()); ++rank) {
    int64_t bytes = volume(tensor.box(rank)) * dtypeSize(tensor.dtype);
    int64_t live = arenas[rank]->liveBytes();
    if (limit > 0 && bytes > limit - live)
      return Status::failure(
          ExitEnvironment,
          format(
              "out of memory: tensor '%s' takes %lld bytes of rank %d, which "
              "may hold %lld and has %lld",
              printable(name).c_str(), static_cast<long long>(bytes), rank,
              static_cast<long long>(limit), static_cast<long long>(live)));
    Status status = tensor.allocate(*arenas[rank], rank);
    if (status.failed())
      return status;
  }
  return Status::success();
}

void Session::keep(Tensors &&newTensors) {
  for (auto &[name, tensor] : newTensors)
    tensors[name] = std::move(tensor);
  for (auto &arena : arenas)
    arena->release();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Status tapestry::rt::checkName(const std::string &name) {
  constexpr size_t most = 1000;
  if (name.empty())
    return wrong("a tensor's name is empty");
  if (name.size() > most)
    return wrong(format("a tensor's name has %zu bytes; at most %zu are taken",
                        name.size(), most));
  bool hasEquals = name.find('=') != std::string::npos;
  // What can stand in a line of text, and in a manifest.
  if (hasEquals || printable(name, name.size()) != name)
    return wrong(format(
        "'%s' cannot be a tensor's name: it has %s", printable(name).c_str(),
        hasEquals ? "'='" : "control characters or is no UTF-8"));
  return Status::success();
}

const HeldTensor *Session::find(const std::string &name, Status &status) const {
  auto it = tensors.find(name);
  if (it != tensors.end())
    return it->second.get();
  std::string known;
  for (const auto &[other, tensor] : tensors)
    known += (known.empty() ? "; there are: " : ", ") + printable(other);
  status = wrong(format("there is no tensor '%s' in the session",
                        printable(name).c_str()) +
                 (known.empty() ? ", it is empty" : known));
  return nullptr;
}

Status Session::drop(const std::string &name) {
  Status status;
  if (!find(name, status))
    return status;
  tensors.erase(name);
  keep({});
  return status;
}

//===----------------------------------------------------------------------===//
// In and out
//===----------------------------------------------------------------------===//

/// A tensor that comes from outside, without memory yet.
static std::unique_ptr<HeldTensor>
makeCut(int32_t dtype, const std::vector<int64_t> &shape, int64_t ranks) {
  std::vector<Range> boxes;
  std::vector<uint8_t> owner;
  cutEvenly(shape, ranks, boxes, owner);
  return std::make_unique<HeldTensor>(
      TapestryTensor{"", dtype, static_cast<int32_t>(shape.size()),
                     shape.data(), boxes.data(), owner.data()},
      ranks);
}

Status Session::load(const std::string &name, const std::string &path,
                     const std::string &type) {
  Status status = checkName(name);
  if (status.failed())
    return status;
  int32_t wanted = type.empty() ? -1 : dtypeNamed(type);
  if (!type.empty() && wanted < 0)
    return wrong(
        format("there is no element type '%s'", printable(type).c_str()));
  InputFile file;
  status = file.openAny(path, wanted);
  if (status.failed())
    return status;
  updateBudget();
  auto tensor = makeCut(file.type(), file.shape(), ranks());
  status = allocate(*tensor, name);
  if (!status.failed())
    status = onRanks([&](int rank) {
      return file.read(tensor->box(rank), tensor->parts[rank]);
    });
  Tensors loaded;
  if (!status.failed())
    loaded[name] = std::move(tensor);
  tensor.reset();
  keep(std::move(loaded));
  return status;
}

Status Session::put(const std::string &name, const TapestryTensor &given,
                    const void *data) {
  Status status = checkName(name);
  if (status.failed())
    return status;
  if (!isKnownDType(given.dtype) || given.rank < 0)
    return wrong(format("tensor '%s' has element type %d and rank %d",
                        printable(name).c_str(), given.dtype, given.rank));
  Box whole(given.rank);
  int64_t bytes = dtypeSize(given.dtype);
  for (int dim = 0; dim < given.rank; ++dim) {
    whole[dim] = {0, given.shape[dim]};
    if (given.shape[dim] < 0 ||
        __builtin_mul_overflow(bytes, given.shape[dim], &bytes))
      return wrong(format("tensor '%s' has shape %s", printable(name).c_str(),
                          shapeText(given.shape, given.rank).c_str()));
  }
  updateBudget();
  auto tensor =
      makeCut(given.dtype, {given.shape, given.shape + given.rank}, ranks());
  status = allocate(*tensor, name);
  if (!status.failed())
    status = onRanks([&](int rank) {
      copyPiece(tensor->parts[rank], tensor->box(rank), data, whole,
                tensor->box(rank), dtypeSize(given.dtype));
      return Status::success();
    });
  Tensors loaded;
  if (!status.failed())
    loaded[name] = std::move(tensor);
  tensor.reset();
  keep(std::move(loaded));
  return status;
}

Status Session::read(const std::string &name, const TapestryRange *box,
                     void *data) {
  Status status;
  const HeldTensor *tensor = find(name, status);
  if (!tensor)
    return status;
  auto rank = static_cast<int>(tensor->shape.size());
  Box whole;
  for (int64_t extent : tensor->shape)
    whole.push_back({0, extent});
  BoxRef wanted = box ? BoxRef(box, rank) : BoxRef(whole);
  if (!contains(whole, wanted))
    return wrong(format("%s is asked of tensor '%s', which is %s",
                        boxText(wanted).c_str(), printable(name).c_str(),
                        typeText(tensor->table("")).c_str()));
  for (int64_t from = 0; from < ranks(); ++from) {
    BoxRef part = tensor->box(from);
    if (tensor->owner[from] && overlap(part, wanted))
      copyPiece(data, wanted, tensor->parts[from], part,
                intersect(part, wanted), dtypeSize(tensor->dtype));
  }
  return status;
}

Status Session::exportTo(const std::string &name, const std::string &path) {
  Status status;
  const HeldTensor *tensor = find(name, status);
  if (!tensor)
    return status;
  SignalGuard signals;
  TapestryTensor table = tensor->table(name.c_str());
  OutputFile file;
  status = file.prepare(path, table);
  if (status.failed())
    return status;
  file.nameAside(uniqueId());
  status = file.create();
  if (!status.failed())
    status = onRanks([&](int rank) {
      return tensor->owner[rank]
                 ? file.write(tensor->box(rank), tensor->parts[rank])
                 : Status::success();
    });
  if (!status.failed())
    status = file.close();
  return status.failed() ? status : file.commit();
}

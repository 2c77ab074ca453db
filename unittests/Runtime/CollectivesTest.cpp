//===- CollectivesTest.cpp - Tests of the algorithms ----------------------===//
//
// Every algorithm on 1 to 8 threads, over shared memory and over a transport
// that copies, whole and a few bytes at a time, against a direct computation.
// What is counted must be what the planner's formulas say.
//
//===----------------------------------------------------------------------===//

#include "Collectives/Collectives.h"
#include "Core/Types.h"
#include "Local/LocalTransport.h"
#include "TestProgram.h"
#include "Testing.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

namespace {

/// Delivers into the receiver's place, as a transport between processes does.
class CopyingTransport final : public Transport {
public:
  explicit CopyingTransport(Transport &inner) : inner(inner) {}
  int rank() const override { return inner.rank(); }
  int size() const override { return inner.size(); }
  int ranksOnHost() const override { return inner.ranksOnHost(); }
  bool sharesMemory() const override { return false; }
  bool allowsThreads() const override { return true; }
  bool stopped() const override { return inner.stopped(); }
  Outcome exchange(const Label &label, const Outgoing *outgoing,
                   size_t numOutgoing, const Incoming *incoming,
                   size_t numIncoming, Receiver &receiver,
                   TransportError &error) override {
    struct Copy final : Receiver {
      void waiting(int, double) override {}
      const Incoming *incoming;
      Receiver *receiver;
      void arrived(size_t index, const void *data) override {
        if (incoming[index].bytes > 0)
          std::memcpy(incoming[index].place, data, incoming[index].bytes);
        receiver->arrived(index, incoming[index].place);
      }
    } copy;
    copy.incoming = incoming;
    copy.receiver = &receiver;
    return inner.exchange(label, outgoing, numOutgoing, incoming, numIncoming,
                          copy, error);
  }
  void abort(int status, const char *message) override {
    inner.abort(status, message);
  }

private:
  Transport &inner;
};

using RankBody = std::function<Status(Communicator &)>;

/// What is staged at a time where memory is not shared; 0: it is.
using StagedBytes = int64_t;

/// Runs `body` on one thread per device; returns the bytes that all sent.
int64_t runOnThreads(int devices, StagedBytes stagedBytes,
                     const RankBody &body) {
  bool shared = stagedBytes == 0;
  LocalHub hub(devices, /*spin=*/false);
  std::atomic<int64_t> sent{0};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < devices; ++rank)
    threads.emplace_back([&, rank] {
      CopyingTransport copying(hub.endpoint(rank));
      Communicator communicator(shared ? hub.endpoint(rank) : copying, nullptr,
                                stagedBytes);
      communicator.begin(0, "test");
      Status status = body(communicator);
      EXPECT_FALSE(status.failed()) << status.message();
      if (status.failed())
        hub.abort(1, "failed");
      sent += communicator.sentBytes();
      hub.leave();
    });
  for (std::thread &thread : threads)
    thread.join();
  return sent;
}

class Collectives
    : public ::testing::TestWithParam<std::tuple<int, StagedBytes>> {
protected:
  int devices() const { return std::get<0>(GetParam()); }
  int64_t onAll(const RankBody &body) {
    return runOnThreads(devices(), std::get<1>(GetParam()), body);
  }
};

/// A source layout: `parts` blocks along a dimension, each on `replicas`
/// devices; devices beyond them hold further replicas' parts.
struct SourceLayout {
  std::vector<Box> boxes;
  std::vector<int32_t> replicaOf;
};

SourceLayout randomSource(const std::vector<int64_t> &shape, int devices,
                          std::mt19937 &random) {
  std::vector<int> divisors;
  for (int d = 1; d <= devices; ++d)
    if (devices % d == 0)
      divisors.push_back(d);
  int replicas = divisors[random() % divisors.size()];
  int parts = devices / replicas;
  auto dim = static_cast<int>(random() % shape.size());
  // Replicas vary fastest or slowest.
  bool fastest = random() % 2;
  SourceLayout layout;
  for (int device = 0; device < devices; ++device) {
    int part = fastest ? device / replicas : device % parts;
    Box box = boxOfShape(shape);
    box[dim] = block(shape[dim], parts, part);
    layout.boxes.push_back(box);
    layout.replicaOf.push_back(fastest ? device % replicas : device / parts);
  }
  return layout;
}

/// A table of boxes as the ABI has it.
std::vector<Range> flat(const std::vector<Box> &boxes) {
  std::vector<Range> all;
  for (const Box &box : boxes)
    all.insert(all.end(), box.begin(), box.end());
  return all;
}

} // namespace

template <typename T>
static void checkExchange(const std::vector<int64_t> &shape,
                          const std::vector<Box> &targets, int32_t dtype,
                          const SourceLayout &source,
                          const std::vector<T> &tensor, StagedBytes staged,
                          int perDevice = 1,
                          const std::vector<Box> &fragments = {}) {
  int devices = static_cast<int>(targets.size()) / perDevice;
  std::vector<Range> sourceTable = flat(source.boxes);
  std::vector<Range> targetTable = flat(targets);
  std::vector<Range> fragmentTable = flat(fragments);
  int perFragment = static_cast<int>(fragments.size()) / devices;
  auto readOf = [&](int device, const Box &target) {
    if (fragments.empty())
      return std::vector<Box>{target};
    std::vector<Box> boxes;
    for (int number = 0; number < perFragment; ++number)
      boxes.push_back(
          intersect(target, fragments[device * perFragment + number]));
    return boxes;
  };
  // The parts of a device follow each other; what is not read stays 0.
  auto wanted = [&](int device) {
    std::vector<T> all;
    for (int number = 0; number < perDevice; ++number) {
      const Box &target = targets[device * perDevice + number];
      std::vector<T> part(volume(target));
      for (const Box &read : readOf(device, target))
        if (!isEmpty(read))
          copyPiece(part.data(), target, tensor.data(), boxOfShape(shape), read,
                    sizeof(T));
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  };
  TapestryCollective collective = {};
  collective.vertex = "X";
  collective.kind = TAPESTRY_ALL_TO_ALL;
  collective.dtype = dtype;
  collective.rank = static_cast<int32_t>(shape.size());
  collective.targets = perDevice;
  collective.replica_of = source.replicaOf.data();
  collective.source = sourceTable.data();
  collective.target = targetTable.data();
  collective.fragments = perFragment;
  collective.fragment = fragmentTable.data();

  int64_t expected = 0;
  for (int device = 0; device < devices; ++device)
    for (int number = 0; number < perDevice; ++number)
      for (const Box &read :
           readOf(device, targets[device * perDevice + number]))
        expected +=
            volume(read) - volume(intersect(read, source.boxes[device]));
  std::vector<std::vector<T>> results(devices);
  int64_t sent = runOnThreads(devices, staged, [&](Communicator &communicator) {
    int device = communicator.rank();
    std::vector<T> held = extract(tensor, shape, source.boxes[device]);
    results[device].resize(wanted(device).size());
    ExchangePlan plan = planExchange(collective, devices, device);
    Status status = plan.check();
    if (status.failed())
      return status;
    return exchangeBoxes(communicator, plan, held.data(),
                         results[device].data());
  });
  EXPECT_EQ(sent, expected * int64_t(sizeof(T)));
  for (int device = 0; device < devices; ++device)
    EXPECT_EQ(results[device], wanted(device))
        << "device " << device << ", " << boxText(targets[device * perDevice]);
}

/// Arbitrary targets: halos, replicas, overlaps, nothing.
TEST_P(Collectives, ExchangeBringsEveryTarget) {
  std::mt19937 random(100 + devices());
  StagedBytes staged = std::get<1>(GetParam());
  for (int round = 0; round < 24; ++round) {
    std::vector<int64_t> shape;
    for (int dim = 0; dim < 1 + round % 3; ++dim)
      shape.push_back(1 + random() % 13);
    SourceLayout source = randomSource(shape, devices(), random);
    std::vector<Box> targets;
    for (int device = 0; device < devices(); ++device)
      targets.push_back(round % 4 == 0 ? boxOfShape(shape)
                                       : randomBox(shape, random));
    int64_t count = volume(boxOfShape(shape));
    switch (round % 4) {
    case 0:
      checkExchange(shape, targets, TAPESTRY_I8, source,
                    randomValues<int8_t>(count, random), staged);
      break;
    case 1:
      checkExchange(shape, targets, TAPESTRY_I16, source,
                    randomValues<int16_t>(count, random), staged);
      break;
    case 2:
      checkExchange(shape, targets, TAPESTRY_F32, source,
                    randomValues<float>(count, random), staged);
      break;
    case 3:
      checkExchange(shape, targets, TAPESTRY_F64, source,
                    randomValues<double>(count, random), staged);
      break;
    }
  }
}

/// Several boxes of each device, in one message per pair.
TEST_P(Collectives, ExchangeBringsSeveralTargets) {
  std::mt19937 random(300 + devices());
  for (int round = 0; round < 16; ++round) {
    std::vector<int64_t> shape;
    for (int dim = 0; dim < 1 + round % 3; ++dim)
      shape.push_back(1 + random() % 13);
    SourceLayout source = randomSource(shape, devices(), random);
    int perDevice = 2 + round % 3;
    std::vector<Box> targets;
    for (int number = 0; number < devices() * perDevice; ++number)
      targets.push_back(randomBox(shape, random));
    int64_t count = volume(boxOfShape(shape));
    checkExchange(shape, targets, TAPESTRY_F32, source,
                  randomValues<float>(count, random), std::get<1>(GetParam()),
                  perDevice);
  }
}

/// Of a cross its corners are neither sent nor written.
TEST_P(Collectives, ExchangeBringsFragments) {
  std::mt19937 random(400 + devices());
  for (int round = 0; round < 16; ++round) {
    std::vector<int64_t> shape;
    for (int dim = 0; dim < 2; ++dim)
      shape.push_back(3 + random() % 13);
    SourceLayout source = randomSource(shape, devices(), random);
    int perDevice = 1 + round % 3;
    std::vector<Box> targets, fragments;
    for (int number = 0; number < devices() * perDevice; ++number)
      targets.push_back(randomBox(shape, random));
    for (int device = 0; device < devices(); ++device) {
      Box core = randomBox(shape, random);
      fragments.push_back({{0, shape[0]}, core[1]});
      fragments.push_back({core[0], {0, core[1].lo}});
      fragments.push_back({core[0], {core[1].hi, shape[1]}});
    }
    int64_t count = volume(boxOfShape(shape));
    checkExchange(shape, targets, TAPESTRY_F32, source,
                  randomValues<float>(count, random), std::get<1>(GetParam()),
                  perDevice, fragments);
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// Groups of equal size: every so many-th device, or neighbours.
struct Groups {
  int count;
  std::vector<int32_t> groupOf;

  Groups(int devices, std::mt19937 &random) {
    do
      count = 1 + static_cast<int>(random() % devices);
    while (devices % count != 0);
    bool neighbours = random() % 2;
    for (int device = 0; device < devices; ++device)
      groupOf.push_back(neighbours ? device / (devices / count)
                                   : device % count);
  }
  ReductionGroup of(int device) const {
    TapestryCollective collective = {};
    collective.group_of = groupOf.data();
    return tapestry::rt::groupOf(collective,
                                 static_cast<int64_t>(groupOf.size()), device);
  }
  int size() const { return static_cast<int>(groupOf.size()) / count; }
};

/// The members' values combined one after the other.
template <typename T>
std::vector<T> combined(const std::vector<std::vector<T>> &values,
                        const ReductionGroup &group,
                        TapestryCombineFn combine) {
  std::vector<T> result = values[group.members[0]];
  for (int i = 1; i < group.size(); ++i)
    combine(result.data(), values[group.members[i]].data(),
            static_cast<int64_t>(result.size()));
  return result;
}
} // namespace

/// Up to the limit the tree, beyond it the ring; either's bytes are the same.
TEST_P(Collectives, AllReduceIsExactOnIntegersAndMaxima) {
  std::mt19937 random(200 + devices());
  for (int round = 0; round < 20; ++round) {
    Groups groups(devices(), random);
    // Fewer elements than members, none at all, and chunks that do not divide.
    int64_t count = round == 0   ? 0
                    : round == 1 ? 1
                    : round == 2 ? 40000
                    : round == 3 ? TAPESTRY_SMALL_ALL_REDUCE_BYTES / 8
                    : round == 6 ? TAPESTRY_SMALL_ALL_REDUCE_BYTES / 8 + 1
                                 : random() % 50;
    TapestryCombineFn combine =
        round % 2 ? addElements<int64_t> : maxElements<int64_t>;
    std::vector<std::vector<int64_t>> values, results(devices());
    for (int device = 0; device < devices(); ++device)
      values.push_back(randomValues<int64_t>(count, random));
    bool inPlace = round % 3 == 0;
    int64_t sent = onAll([&](Communicator &communicator) {
      int device = communicator.rank();
      results[device].assign(count, -77777);
      if (inPlace)
        results[device] = values[device];
      auto reduce = round % 4 < 2 ? ringAllReduce : allReduce;
      return reduce(communicator, groups.of(device), combine, 8, count,
                    inPlace ? results[device].data() : values[device].data(),
                    results[device].data());
    });
    EXPECT_EQ(sent, 2 * (groups.size() - 1) * count * 8 * groups.count);
    for (int device = 0; device < devices(); ++device)
      EXPECT_EQ(results[device], combined(values, groups.of(device), combine))
          << "round " << round << ", device " << device;
  }
}

/// Rounding depends on the order of a sum; all members must still agree.
TEST_P(Collectives, AllReduceGivesAllMembersTheSameBits) {
  std::mt19937 random(300 + devices());
  std::normal_distribution<float> normal(0, 1);
  int64_t count = 1000;
  std::vector<std::vector<float>> values(devices()), results(devices());
  for (auto &value : values)
    for (int64_t i = 0; i < count; ++i)
      value.push_back(normal(random));
  ReductionGroup all;
  for (int device = 0; device < devices(); ++device)
    all.members.push_back(device);
  for (auto reduce : {ringAllReduce, allReduce}) {
    onAll([&](Communicator &communicator) {
      ReductionGroup group = all;
      group.position = communicator.rank();
      results[communicator.rank()].assign(count, -1);
      return reduce(communicator, group, addElements<float>, 4, count,
                    values[communicator.rank()].data(),
                    results[communicator.rank()].data());
    });
    for (int device = 1; device < devices(); ++device)
      EXPECT_EQ(bytesOf(results[device]), bytesOf(results[0]));
    for (int64_t i = 0; i < count; ++i) {
      double sum = 0, magnitude = 0;
      for (auto &value : values) {
        sum += value[i];
        magnitude += std::abs(value[i]);
      }
      EXPECT_NEAR(results[0][i], sum, magnitude * 1e-6);
    }
  }
}

namespace {
/// Keeps the value and remembers who was combined with whom: of two digit
/// strings, the one behind the other.
void appendDigits(void *accumulator, const void *in, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t &left = static_cast<int64_t *>(accumulator)[i];
    int64_t right = static_cast<const int64_t *>(in)[i];
    for (int64_t rest = right; rest > 0; rest /= 10)
      left *= 10;
    left += right;
  }
}
} // namespace

/// The tree combines neighbours: a monoid that does not commute is safe, and
/// the order is the same in every run and on every back end.
TEST_P(Collectives, TreeCombinesInOrderOfTheMembers) {
  std::vector<int64_t> results(devices());
  int64_t expected = 0;
  for (int device = 0; device < devices(); ++device)
    expected = expected * 10 + device + 1;
  onAll([&](Communicator &communicator) {
    ReductionGroup group;
    for (int device = 0; device < devices(); ++device)
      group.members.push_back(device);
    group.position = communicator.rank();
    int64_t own = communicator.rank() + 1;
    return allReduce(communicator, group, appendDigits, 8, 1, &own,
                     &results[communicator.rank()]);
  });
  EXPECT_EQ(results, std::vector<int64_t>(devices(), expected));
}

TEST_P(Collectives, ReduceScatterLeavesEachMemberItsBox) {
  std::mt19937 random(400 + devices());
  for (int round = 0; round < 20; ++round) {
    Groups groups(devices(), random);
    std::vector<int64_t> shape;
    for (int dim = 0; dim < 1 + round % 3; ++dim)
      shape.push_back(1 + random() % 11);
    int64_t count = volume(boxOfShape(shape));
    // The group's part is not the tensor's beginning.
    Box part = boxOfShape(shape);
    for (Range &range : part) {
      range.lo += 5;
      range.hi += 5;
    }
    // More members than rows: some of the targets are empty.
    auto dim = static_cast<int>(random() % shape.size());
    std::vector<Box> targets = cutBoxes(shape, dim, groups.size());
    for (Box &box : targets)
      for (Range &range : box) {
        range.lo += 5;
        range.hi += 5;
      }
    std::vector<BoxRef> targetRefs(targets.begin(), targets.end());
    TapestryCombineFn combine =
        round % 2 ? addElements<int32_t> : maxElements<int32_t>;
    std::vector<std::vector<int32_t>> values, results(devices());
    for (int device = 0; device < devices(); ++device)
      values.push_back(randomValues<int32_t>(count, random));
    int64_t sent = onAll([&](Communicator &communicator) {
      int device = communicator.rank();
      ReductionGroup group = groups.of(device);
      results[device].resize(volume(targetRefs[group.position]));
      std::vector<char> sums(reduceScatterBytes(targetRefs, 4));
      return ringReduceScatter(communicator, group, combine, 4, part,
                               targetRefs, values[device].data(),
                               results[device].data(), sums.data());
    });
    EXPECT_EQ(sent, (groups.size() - 1) * count * 4 * groups.count);
    for (int device = 0; device < devices(); ++device) {
      ReductionGroup group = groups.of(device);
      Box box = targets[group.position];
      for (Range &range : box) {
        range.lo -= 5;
        range.hi -= 5;
      }
      EXPECT_EQ(results[device],
                extract(combined(values, group, combine), shape, box))
          << "round " << round << ", device " << device;
    }
  }
}

//===----------------------------------------------------------------------===//
// The runtime's own
//===----------------------------------------------------------------------===//

TEST_P(Collectives, GatherBroadcastBarrier) {
  std::vector<std::vector<char>> gathered;
  std::atomic<int> before{0};
  onAll([&](Communicator &communicator) {
    int rank = communicator.rank();
    // Rank r has r % 3 values: lengths differ and may be 0.
    std::vector<int32_t> own(rank % 3, 100 + rank);
    std::vector<std::vector<char>> all;
    Status status = communicator.gather(
        own.data(), static_cast<int64_t>(own.size() * 4), all);
    if (status.failed())
      return status;
    if (rank == 0)
      gathered = all;
    int64_t number = rank == 0 ? 4711 : -1;
    status = communicator.broadcast(&number, sizeof(number));
    EXPECT_EQ(number, 4711);
    ++before;
    if (!status.failed())
      status = communicator.barrier();
    EXPECT_EQ(before.load(), devices());
    return status;
  });
  ASSERT_EQ(gathered.size(), size_t(devices()));
  for (int rank = 0; rank < devices(); ++rank)
    EXPECT_EQ(std::string(gathered[rank].begin(), gathered[rank].end()),
              bytesOf(std::vector<int32_t>(rank % 3, 100 + rank)));
}

/// What the planner prices: what a receiver does not hold itself.
TEST(Feed, PlansMoveOnlyWhatIsMissing) {
  std::mt19937 random(17);
  for (int round = 0; round < 100; ++round) {
    int devices = 1 + static_cast<int>(random() % 8);
    std::vector<int64_t> shape = {1 + int64_t(random() % 9),
                                  1 + int64_t(random() % 9)};
    SourceLayout source = randomSource(shape, devices, random);
    std::vector<uint8_t> owner;
    for (int32_t replica : source.replicaOf)
      owner.push_back(replica == 0);
    std::vector<Box> targets;
    for (int device = 0; device < devices; ++device)
      targets.push_back(randomBox(shape, random));
    std::vector<Range> fromTable = flat(source.boxes), toTable = flat(targets);
    TapestryTensor from = {"Wn",         TAPESTRY_F32,     2,
                           shape.data(), fromTable.data(), owner.data()};
    TapestryTensor to = {"W",          TAPESTRY_F32,   2,
                         shape.data(), toTable.data(), nullptr};
    int64_t sent = 0, received = 0, missing = 0;
    for (int device = 0; device < devices; ++device) {
      ExchangePlan plan = planFeed(from, to, devices, device);
      EXPECT_FALSE(plan.check().failed()) << plan.check().message();
      sent += plan.sentElements();
      for (const ExchangePlan::Message &message : plan.receives)
        received += message.elements();
      missing += volume(targets[device]) -
                 volume(intersect(targets[device], source.boxes[device]));
    }
    EXPECT_EQ(sent, received);
    EXPECT_EQ(sent, missing);
  }
}

TEST(Exchange, PlanThatLeavesAGapIsRefused) {
  std::vector<Range> source = {{0, 4}, {5, 8}}; // nobody holds 4
  std::vector<Range> target = {{0, 8}, {0, 4}};
  TapestryCollective collective = {};
  collective.vertex = "X";
  collective.dtype = TAPESTRY_F32;
  collective.rank = 1;
  collective.targets = 1;
  collective.source = source.data();
  collective.target = target.data();
  Status status = planExchange(collective, 2, 0).check();
  EXPECT_EQ(status.message(), "the program's tables are inconsistent: 7 "
                              "elements come for [0, 8), which has 8");
  EXPECT_FALSE(planExchange(collective, 2, 1).check().failed());
}

INSTANTIATE_TEST_SUITE_P(
    Threads, Collectives,
    ::testing::Combine(::testing::Range(1, 9),
                       ::testing::Values<StagedBytes>(0, 24, 1 << 20)),
    [](const auto &info) {
      StagedBytes staged = std::get<1>(info.param);
      return std::to_string(std::get<0>(info.param)) + (staged == 0 ? "Shared"
                                                        : staged == 24
                                                            ? "InParts"
                                                            : "Copied");
    });

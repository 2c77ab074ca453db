//===- MPITransport.cpp - Messages between MPI processes ------------------===//

#include "MPI/MPITransport.h"
#include "Core/Machine.h"
#include "MPI/Errors.h"
#include "tapestry-rt/Counted.h"
#include <algorithm>
#include <ctime>
#include <sched.h>
#include <unistd.h>

using namespace tapestry::rt;

// MPI counts are ints; longer messages go in pieces, which arrive in order.
static constexpr int64_t maxPiece = int64_t(1) << 30;

static double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

MPITransport::MPITransport(MPI_Comm world, Vigil &vigil, double timeoutSeconds,
                           bool hasThreads)
    : world(world), vigil(vigil), timeoutSeconds(timeoutSeconds),
      hasThreads(hasThreads) {
  MPI_Comm_rank(world, &myRank);
  MPI_Comm_size(world, &numRanks);

  MPI_Comm host;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &numOnHost);
  MPI_Comm_free(&host);
  sharesCores = numOnHost > availableCores();

  int *bound = nullptr;
  int found = 0;
  MPI_Comm_get_attr(world, MPI_TAG_UB, static_cast<void *>(&bound), &found);
  if (found)
    maxTag = *bound;
}

Outcome MPITransport::start(const Label &label, const Outgoing *outgoing,
                            size_t numOutgoing, const Incoming *incoming,
                            size_t numIncoming, TransportError &error) {
  // Messages of one pair keep their order, so tags need not be unique; that
  // they differ turns a lost order into a time-out instead of wrong data.
  uint64_t mixed = label.operation * 64 +
                   static_cast<uint64_t>(label.step) * 7 +
                   static_cast<uint64_t>(label.collective + 1);
  int tag = static_cast<int>(mixed % static_cast<uint64_t>(maxTag));
  requests.clear();
  pieces.clear();
  piecesLeft.assign(numIncoming, 0);

  // Receives first: data then goes straight to its place.
  for (size_t i = 0; i < numIncoming; ++i) {
    int64_t done = 0;
    do {
      int64_t bytes = std::min(incoming[i].bytes - done, maxPiece);
      requests.emplace_back();
      pieces.push_back({static_cast<int>(i), incoming[i].peer, bytes});
      ++piecesLeft[i];
      int code = MPI_Irecv(static_cast<char *>(incoming[i].place) + done,
                           static_cast<int>(bytes), MPI_BYTE, incoming[i].peer,
                           tag, world, &requests.back());
      if (code != MPI_SUCCESS)
        return mpiFailed("MPI_Irecv", code, error);
      done += bytes;
    } while (done < incoming[i].bytes);
  }
  for (size_t i = 0; i < numOutgoing; ++i) {
    int64_t done = 0;
    do {
      int64_t bytes = std::min(outgoing[i].bytes - done, maxPiece);
      requests.emplace_back();
      pieces.push_back({-1, outgoing[i].peer, bytes});
      int code = MPI_Isend(static_cast<const char *>(outgoing[i].data) + done,
                           static_cast<int>(bytes), MPI_BYTE, outgoing[i].peer,
                           tag, world, &requests.back());
      if (code != MPI_SUCCESS)
        return mpiFailed("MPI_Isend", code, error);
      done += bytes;
    } while (done < outgoing[i].bytes);
  }
  return Outcome::Done;
}

Outcome MPITransport::checkArrived(const Piece &piece, MPI_Status &status,
                                   TransportError &error) {
  int got = 0;
  MPI_Get_count(&status, MPI_BYTE, &got);
  if (got == piece.bytes)
    return Outcome::Done;
  snprintf(error.text, sizeof(error.text),
           "rank %d sent %s where %lld were expected", piece.peer,
           countOf(got, "byte").c_str(), static_cast<long long>(piece.bytes));
  return Outcome::Failed;
}

/// Gives the processor away where ranks share one, and stops burning it when
/// the wait gets long.
void MPITransport::waitPolitely(int idleTurns) const {
  if (idleTurns < 200 && !sharesCores)
    return;
  if (idleTurns < 2000) {
    sched_yield();
    return;
  }
  timespec pause = {0, 50000};
  nanosleep(&pause, nullptr);
}

Outcome MPITransport::lookAfter(double waited, std::vector<Vigil::Wait> &waits,
                                Receiver &receiver, TransportError &error) {
  bool isFirst = true;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == MPI_REQUEST_NULL)
      continue;
    int peer = pieces[i].peer;
    if (isFirst)
      receiver.waiting(peer, waited);
    isFirst = false;
    auto wait =
        std::find_if(waits.begin(), waits.end(),
                     [&](const auto &known) { return known.rank == peer; });
    if (wait == waits.end())
      wait = waits.insert(waits.end(), Vigil::begin(peer));
    std::string lost = vigil.findLost(*wait, timeoutSeconds);
    if (lost.empty())
      continue;
    snprintf(error.text, sizeof(error.text), "%s", lost.c_str());
    return Outcome::Failed;
  }
  return Outcome::Done;
}

Outcome MPITransport::finish(const Incoming *incoming, size_t numIncoming,
                             Receiver &receiver, TransportError &error) {
  size_t left = requests.size();
  completed.resize(left);
  statuses.resize(left);
  double begin = seconds();
  double nextLook = begin + Vigil::pause(timeoutSeconds);
  std::vector<Vigil::Wait> waits;
  for (int idleTurns = 0; left > 0;) {
    int count = 0;
    int code = MPI_Testsome(static_cast<int>(requests.size()), requests.data(),
                            &count, completed.data(), statuses.data());
    if (code != MPI_SUCCESS) {
      // With MPI_ERR_IN_STATUS the reason is in one of the statuses.
      if (code == MPI_ERR_IN_STATUS)
        for (int i = 0; i < count; ++i)
          if (statuses[i].MPI_ERROR != MPI_SUCCESS)
            code = statuses[i].MPI_ERROR;
      return mpiFailed("MPI_Testsome", code, error);
    }
    for (int i = 0; i < count; ++i) {
      const Piece &piece = pieces[completed[i]];
      --left;
      if (piece.message < 0)
        continue;
      if (checkArrived(piece, statuses[i], error) != Outcome::Done)
        return Outcome::Failed;
      if (--piecesLeft[piece.message] == 0)
        receiver.arrived(piece.message, incoming[piece.message].place);
    }
    if (count > 0) {
      idleTurns = 0;
      continue;
    }
    waitPolitely(++idleTurns);
    double now = idleTurns % 64 == 0 ? seconds() : begin;
    if (now < nextLook)
      continue;
    nextLook = now + Vigil::pause(timeoutSeconds);
    Outcome outcome = lookAfter(now - begin, waits, receiver, error);
    if (outcome != Outcome::Done)
      return outcome;
  }
  return Outcome::Done;
}

Outcome MPITransport::exchange(const Label &label, const Outgoing *outgoing,
                               size_t numOutgoing, const Incoming *incoming,
                               size_t numIncoming, Receiver &receiver,
                               TransportError &error) {
  Outcome outcome =
      start(label, outgoing, numOutgoing, incoming, numIncoming, error);
  if (outcome != Outcome::Done)
    return outcome;
  return finish(incoming, numIncoming, receiver, error);
}

bool MPITransport::findLost(double waited, TransportError &error) {
  if (waited < waitedBeside || waitsBeside.empty()) {
    waitsBeside.clear();
    for (int peer = 0; peer < numRanks; ++peer)
      if (peer != myRank)
        waitsBeside.push_back(Vigil::begin(peer));
    lookedBeside = waited;
  }
  waitedBeside = waited;
  if (waited - lookedBeside < Vigil::pause(timeoutSeconds))
    return false;
  lookedBeside = waited;
  for (Vigil::Wait &wait : waitsBeside) {
    std::string lost = vigil.findLost(wait, timeoutSeconds);
    if (lost.empty())
      continue;
    snprintf(error.text, sizeof(error.text), "%s", lost.c_str());
    return true;
  }
  return false;
}

void MPITransport::abort(int status, const char *message) {
  fprintf(stderr, "%s\n", message);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

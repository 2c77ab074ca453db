//===- MPITransport.cpp - Ranks that are MPI processes --------------------===//
//
// The plug-in libtapestry-rt-mpi.so: the only code that is linked to MPI. All
// calls come from the thread that opened it (MPI_THREAD_FUNNELED).
//
//===----------------------------------------------------------------------===//

#include "tapestry-rt/Transport.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>
#include <vector>

using namespace tapestry::rt;

// MPI counts are ints; longer messages go in pieces, which arrive in order.
static constexpr int64_t maxPiece = int64_t(1) << 30;

static double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

/// Puts MPI's own words for `code` into `error`.
static Outcome mpiFailed(const char *call, int code, TransportError &error) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  snprintf(error.text, sizeof(error.text), "%s: %.*s", call, length, text);
  return Outcome::Failed;
}

namespace {

class MPITransport final : public Transport {
public:
  bool open(double timeout, TransportError &error);

  int rank() const override { return myRank; }
  int size() const override { return numRanks; }
  int ranksOnHost() const override { return numOnHost; }
  bool sharesMemory() const override { return false; }
  bool stopped() const override { return false; } // abort ends processes
  Outcome exchange(const Label &label, const Outgoing *outgoing,
                   size_t numOutgoing, const Incoming *incoming,
                   size_t numIncoming, Receiver &receiver,
                   TransportError &error) override;
  void abort(int status, const char *message) override;

private:
  /// One piece of a message under way.
  struct Piece {
    int message; // index among the incoming ones; -1: outgoing
    int peer;
    int64_t bytes;
  };

  Outcome start(const Label &label, const Outgoing *outgoing,
                size_t numOutgoing, const Incoming *incoming,
                size_t numIncoming, TransportError &error);
  Outcome finish(const Incoming *incoming, size_t numIncoming,
                 Receiver &receiver, TransportError &error);
  Outcome checkArrived(const Piece &piece, MPI_Status &status,
                       TransportError &error);

  MPI_Comm world = MPI_COMM_NULL;
  int myRank = 0;
  int numRanks = 1;
  int numOnHost = 1;
  int maxTag = 32767;
  double timeoutSeconds = 300;

  // Of the exchange under way; kept to save allocations.
  std::vector<MPI_Request> requests;
  std::vector<Piece> pieces;
  std::vector<int> completed;
  std::vector<MPI_Status> statuses;
  std::vector<int> piecesLeft;
};

} // namespace

/// Waits until every process has come here: idle ones at once, the others with
/// their work done. Open MPI 4's launcher crashes or hangs if a process aborts
/// while another is inside MPI_Finalize, so none enters it while one may still
/// fail. There is no time limit: an idle process waits as long as others work.
static void waitForOthers() {
  MPI_Request all = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(MPI_COMM_WORLD, &all) != MPI_SUCCESS)
    return;
  timespec pause = {0, 1000};
  for (int done = 0; MPI_Test(&all, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS;) {
    if (done)
      return;
    nanosleep(&pause, nullptr);
    pause.tv_nsec = std::min(2 * pause.tv_nsec, 1000000L);
  }
}

static void finalize() {
  int over = 0;
  MPI_Finalized(&over);
  if (over)
    return;
  waitForOthers();
  MPI_Finalize();
}

bool MPITransport::open(double timeout, TransportError &error) {
  timeoutSeconds = timeout;
  int running = 0;
  MPI_Initialized(&running);
  if (!running) {
    int provided = 0;
    int code =
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    if (code != MPI_SUCCESS) {
      mpiFailed("MPI_Init_thread", code, error);
      return false;
    }
    atexit(finalize);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_rank(world, &myRank);
  MPI_Comm_size(world, &numRanks);

  MPI_Comm host;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &numOnHost);
  MPI_Comm_free(&host);

  int *bound = nullptr;
  int found = 0;
  MPI_Comm_get_attr(world, MPI_TAG_UB, static_cast<void *>(&bound), &found);
  if (found)
    maxTag = *bound;
  return true;
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
           "rank %d sent %d bytes where %lld were expected", piece.peer, got,
           static_cast<long long>(piece.bytes));
  return Outcome::Failed;
}

/// Gives the processor away where ranks share one, and stops burning it when
/// the wait gets long.
static void waitPolitely(int idleTurns) {
  if (idleTurns < 200)
    return;
  if (idleTurns < 2000) {
    sched_yield();
    return;
  }
  timespec pause = {0, 50000};
  nanosleep(&pause, nullptr);
}

Outcome MPITransport::finish(const Incoming *incoming, size_t numIncoming,
                             Receiver &receiver, TransportError &error) {
  size_t left = requests.size();
  completed.resize(left);
  statuses.resize(left);
  double deadline = seconds() + timeoutSeconds;
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
    if (idleTurns % 64 != 0 || seconds() < deadline)
      continue;
    for (size_t i = 0; i < requests.size(); ++i)
      if (requests[i] != MPI_REQUEST_NULL) {
        snprintf(error.text, sizeof(error.text),
                 "waited %g seconds for rank %d to %s; gave up", timeoutSeconds,
                 pieces[i].peer, pieces[i].message < 0 ? "receive" : "send");
        return Outcome::Failed;
      }
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

void MPITransport::abort(int status, const char *message) {
  fprintf(stderr, "%s\n", message);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

extern "C" __attribute__((visibility("default"))) Transport *
tapestryRtOpenTransport(uint32_t version, double timeoutSeconds,
                        TransportError *error) {
  if (version != transportVersion) {
    snprintf(error->text, sizeof(error->text),
             "the program's runtime has transport version %u, the plug-in %u",
             version, transportVersion);
    return nullptr;
  }
  static MPITransport transport;
  static bool isOpen = false;
  if (!isOpen)
    isOpen = transport.open(timeoutSeconds, *error);
  return isOpen ? &transport : nullptr;
}

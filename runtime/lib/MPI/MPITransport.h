//===- MPITransport.h - Messages between MPI processes ----------*- C++ -*-===//

#ifndef TAPESTRY_RT_MPI_MPITRANSPORT_H
#define TAPESTRY_RT_MPI_MPITRANSPORT_H

#include "MPI/Vigil.h"
#include "tapestry-rt/Transport.h"
#include <mpi.h>
#include <vector>

namespace tapestry {
namespace rt {

class MPITransport final : public Transport {
public:
  /// Measures `world`, whose errors are returned.
  MPITransport(MPI_Comm world, Vigil &vigil, double timeoutSeconds,
               bool hasThreads);

  int rank() const override { return myRank; }
  int size() const override { return numRanks; }
  int ranksOnHost() const override { return numOnHost; }
  bool sharesMemory() const override { return false; }
  bool stopped() const override { return false; } // abort ends processes
  bool allowsThreads() const override { return hasThreads; }
  Outcome exchange(const Label &label, const Outgoing *outgoing,
                   size_t numOutgoing, const Incoming *incoming,
                   size_t numIncoming, Receiver &receiver,
                   TransportError &error) override;
  bool findLost(double waited, TransportError &error) override;
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
  /// Of an exchange that has waited for so long: tells whom for, and fails
  /// where one of those is lost.
  Outcome lookAfter(double waited, std::vector<Vigil::Wait> &waits,
                    Receiver &receiver, TransportError &error);
  void waitPolitely(int idleTurns) const;
  Outcome checkArrived(const Piece &piece, MPI_Status &status,
                       TransportError &error);

  MPI_Comm world;
  int myRank = 0;
  int numRanks = 1;
  int numOnHost = 1;
  int maxTag = 32767;
  bool sharesCores = false; // with other ranks
  Vigil &vigil;
  double timeoutSeconds;
  /// Of findLost: since it was last asked for a new wait.
  std::vector<Vigil::Wait> waitsBeside;
  double waitedBeside = 0, lookedBeside = 0;
  const bool hasThreads;

  // Of the exchange under way; kept to save allocations.
  std::vector<MPI_Request> requests;
  std::vector<Piece> pieces;
  std::vector<int> completed;
  std::vector<MPI_Status> statuses;
  std::vector<int> piecesLeft;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_MPI_MPITRANSPORT_H

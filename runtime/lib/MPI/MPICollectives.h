//===- MPICollectives.h - MPI's own collectives -----------------*- C++ -*-===//
//
// all_reduce by MPI_Allreduce, reduce_scatter by MPI_Reduce_scatter or, where
// parts lie scattered, by MPI_Reduce for each, all_gather by MPI_Allgatherv
// where every part is one stretch of the whole, and any other exchange by
// MPI_Alltoallw. In which order values are combined is MPI's
// choice.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_MPI_MPICOLLECTIVES_H
#define TAPESTRY_RT_MPI_MPICOLLECTIVES_H

#include "MPI/Watch.h"
#include "tapestry-rt/Backend.h"
#include <map>
#include <mpi.h>
#include <vector>

namespace tapestry {
namespace rt {

/// What all collectives of a process share.
class MPICollectives final : public BackendCollectives {
public:
  /// `world` has the back end's ranks; its errors are returned.
  MPICollectives(MPI_Comm world, int rank, Vigil &vigil, double timeoutSeconds)
      : world(world), watch(rank, vigil, timeoutSeconds) {}

  Outcome prepare(const GroupCollective &collective,
                  std::unique_ptr<WholeCollective> &prepared,
                  TransportError &error) override;

private:
  /// MPI's operation for a reduction.
  Outcome operationOf(const GroupCollective &collective, MPI_Op &operation,
                      TransportError &error);
  /// The members' communicator; made once per set of members.
  Outcome communicatorOf(const GroupCollective &collective, MPI_Comm &found,
                         TransportError &error);

  MPI_Comm world;
  Watch watch;
  std::map<std::vector<int>, MPI_Comm> communicators;
  MPI_Op combining = MPI_OP_NULL;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_MPI_MPICOLLECTIVES_H

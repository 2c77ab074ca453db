//===- MPIBackend.cpp - Ranks that are MPI processes ----------------------===//
//
// The plug-in libtapestry-rt-mpi.so: the only code that is linked to MPI. Calls
// come from the thread that opened it and, where the library allows that
// (MPI_THREAD_SERIALIZED), from the one that communicates beside it, in turns.
//
//===----------------------------------------------------------------------===//

#include "Core/Machine.h"
#include "MPI/Errors.h"
#include "MPI/MPICollectives.h"
#include "MPI/MPITransport.h"
#include <algorithm>
#include <cstdlib>
#include <ctime>

using namespace tapestry::rt;

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

/// Starts MPI where it does not run yet, and makes a communicator for the
/// ranks.
static bool initialize(MPI_Comm &world, bool &hasThreads,
                       TransportError &error) {
  int running = 0;
  MPI_Initialized(&running);
  if (!running) {
    // Open MPI knows only what it was told of the machine's cores: while it
    // waits for other processes, it must let them work.
    const char *onHost = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (onHost && atoi(onHost) > availableCores())
      setenv("OMPI_MCA_mpi_yield_when_idle", "1", /*overwrite=*/0);
    int provided = 0;
    int code =
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (code != MPI_SUCCESS) {
      mpiFailed("MPI_Init_thread", code, error);
      return false;
    }
    atexit(finalize);
  }
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  hasThreads = level >= MPI_THREAD_SERIALIZED;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  return true;
}

/// Tells all processes where each can be found.
static bool introduce(MPI_Comm world, Vigil &vigil, TransportError &error) {
  int size = 1;
  MPI_Comm_size(world, &size);
  std::vector<ProcessIdentity> all(size);
  constexpr int bytes = sizeof(ProcessIdentity);
  int code = MPI_Allgather(&vigil.own(), bytes, MPI_BYTE, all.data(), bytes,
                           MPI_BYTE, world);
  if (code != MPI_SUCCESS) {
    mpiFailed("MPI_Allgather", code, error);
    return false;
  }
  vigil.setProcesses(std::move(all));
  return true;
}

extern "C" __attribute__((visibility("default"))) const Backend *
tapestryRtOpenBackend(uint32_t version, double timeoutSeconds,
                      TransportError *error) {
  if (version != backendVersion) {
    snprintf(error->text, sizeof(error->text),
             "the program's runtime has back end version %u, the plug-in %u",
             version, backendVersion);
    return nullptr;
  }
  static Backend backend;
  if (backend.transport)
    return &backend;
  MPI_Comm world = MPI_COMM_NULL;
  bool hasThreads = false;
  if (!initialize(world, hasThreads, *error))
    return nullptr;
  // Never destroyed: MPI's own end and threads that look come later.
  auto *vigil = new Vigil;
  if (!introduce(world, *vigil, *error))
    return nullptr;
  backend.transport =
      new MPITransport(world, *vigil, timeoutSeconds, hasThreads);
  backend.collectives = new MPICollectives(world, backend.transport->rank(),
                                           *vigil, timeoutSeconds);
  return &backend;
}

//===- Session.h - Named tensors on the ranks of this process ---*- C++ -*-===//
//
// What is behind tapestry-rt/Session.h. Every command either succeeds or leaves
// the tensors as they were.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_SESSION_SESSION_H
#define TAPESTRY_RT_SESSION_SESSION_H

#include "IO/TensorFile.h"
#include "Memory/HeldTensor.h"
#include "tapestry-rt/Session.h"
#include <functional>
#include <map>
#include <memory>

namespace tapestry {
namespace rt {

class Session {
public:
  explicit Session(const TapestrySessionOptions &options);

  Status load(const std::string &name, const std::string &path,
              const std::string &type);
  Status put(const std::string &name, const TapestryTensor &tensor,
             const void *data);
  Status apply(const TapestryProgram &program,
               const std::vector<TapestryBinding> &bindings,
               const std::string &reportPath);
  Status read(const std::string &name, const TapestryRange *box, void *data);
  Status exportTo(const std::string &name, const std::string &path);
  Status drop(const std::string &name);
  Status checkpoint(const std::string &path);
  Status restore(const std::string &path);

  /// Null and `status` says that there is none of this name, and which there
  /// are.
  const HeldTensor *find(const std::string &name, Status &status) const;
  using Tensors = std::map<std::string, std::unique_ptr<HeldTensor>>;
  const Tensors &all() const { return tensors; }

  int64_t ranks() const { return static_cast<int64_t>(arenas.size()); }

private:
  /// Runs `work` on all ranks; the first failure.
  Status onRanks(const std::function<Status(int rank)> &work) const;
  /// Asks how much memory there is, unless the user has said.
  void updateBudget();
  /// The parts of a tensor, unless one is more than its rank may hold.
  Status allocate(HeldTensor &tensor, const std::string &name);
  /// Puts tensors in place of those of the same names.
  void keep(Tensors &&newTensors);
  Status writeBatch(const std::vector<const HeldTensor *> &batch,
                    struct ManifestEntry *entries,
                    const std::function<std::string(size_t)> &pathOf);
  Status readBatch(const std::string &folder,
                   const struct ManifestEntry *entries,
                   const std::vector<HeldTensor *> &batch);
  Status bind(const TapestryProgram &program,
              const std::vector<TapestryBinding> &bindings,
              struct Bound &bound) const;

  const bool progress;
  const int64_t limit; // bytes of each rank; 0: what there is
  MemoryBudget budget;
  std::vector<std::unique_ptr<Arena>> arenas; // per rank; outlive the tensors
  Tensors tensors;
};

/// Whether a tensor of a session can have this name; else the failure says why.
Status checkName(const std::string &name);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_SESSION_SESSION_H

//===- Block.h - Calls of functions that compute blocks ---------*- C++ -*-===//

#ifndef TAPESTRY_RT_LIB_CORE_BLOCK_H
#define TAPESTRY_RT_LIB_CORE_BLOCK_H

#include "tapestry-rt/Block.h"
#include <cstddef>
#include <vector>

namespace tapestry::rt {

/// What tapestry_rt_block is asked for; see there.
class BlockCall {
public:
  explicit BlockCall(const int64_t *words);
  BlockCall(const BlockCall &) = delete;
  BlockCall &operator=(const BlockCall &) = delete;

  /// What lies between the first and the last byte of a tensor.
  struct Part {
    char *begin;
    int64_t bytes;
    /// Whether what is there before counts, and what is there then.
    bool isRead, isWritten;
  };
  size_t numTensors() const { return tensors.size(); }
  Part part(size_t tensor) const;
  /// Has a tensor begin elsewhere.
  void move(size_t tensor, char *begin);
  /// Fills what is to be filled and calls the function. Returns what that does,
  /// 0 where there is nothing to compute.
  int32_t run(TapestryBlockFunction function);

private:
  struct Fill {
    bool isFilled;
    int64_t bits[2];
  };
  void readTensor(const int64_t *&words);
  static void fill(const TapestryBlockTensor &tensor, const int64_t (&bits)[2]);

  TapestryBlockCall call = {};
  bool isEmpty = false;
  std::vector<int64_t> lo, hi, extents;
  std::vector<TapestryBlockTensor> tensors;
  std::vector<Fill> fills;
  /// What the tensors point into.
  std::vector<std::vector<int64_t>> lists;
  std::vector<TapestryBlockParam> params;
};

} // namespace tapestry::rt

#endif // TAPESTRY_RT_LIB_CORE_BLOCK_H

//===- BlockTest.cpp - Tests of calls of functions that compute blocks ----===//

#include "Core/Block.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cstring>
#include <random>

using namespace tapestry::rt;

namespace {

/// A call of a function without labels, with an input and an output.
struct Words {
  std::vector<int64_t> all = {0, 1, 1, 0};

  void add(const void *data, int32_t type, const std::vector<int64_t> &sizes,
           const std::vector<int64_t> &strides, int64_t isFilled = 0,
           int64_t bits = 0) {
    auto rank = static_cast<int64_t>(sizes.size());
    for (int64_t word : {reinterpret_cast<int64_t>(data), int64_t(type), rank,
                         isFilled, bits, int64_t(0)})
      all.push_back(word);
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      for (int64_t word : {sizes[dim], int64_t(0), sizes[dim], strides[dim]})
        all.push_back(word);
  }
};

/// Adds 1 to what it reads.
int32_t addOne(const TapestryBlockCall *call) {
  const TapestryBlockTensor &from = call->inputs[0], &to = call->outputs[0];
  std::vector<int64_t> index(static_cast<size_t>(from.rank), 0);
  for (;;) {
    *static_cast<float *>(tapestry_block_at(&to, index.data())) =
        1 + *static_cast<float *>(tapestry_block_at(&from, index.data()));
    size_t dim = index.size();
    while (dim > 0 && ++index[dim - 1] == from.sizes[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return 0;
  }
}

} // namespace

/// Views of random strides, of either sign, are computed on copies of what
/// their parts say and nothing else.
TEST(Block, PartsAreAllThatAFunctionTouches) {
  std::mt19937 random(5);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<int64_t> sizes, strides, dense;
    int64_t first = 0, last = 0, count = 1;
    for (int64_t dim = draw(0, 3); dim > 0; --dim) {
      sizes.push_back(draw(1, 4));
      strides.push_back(draw(-20, 20));
      int64_t way = (sizes.back() - 1) * strides.back();
      (way < 0 ? first : last) += way;
    }
    for (int64_t size : sizes)
      count *= size;
    int64_t rest = count;
    for (int64_t size : sizes)
      dense.push_back(rest /= size);
    std::vector<float> source(static_cast<size_t>(last - first + 1));
    for (float &value : source)
      value = static_cast<float>(draw(-99, 99));
    std::vector<float> result(static_cast<size_t>(count)), again(result);
    Words words;
    words.add(source.data() - first, TAPESTRY_BLOCK_F32, sizes, strides);
    words.add(result.data(), TAPESTRY_BLOCK_F32, sizes, dense, 1, 7);
    BlockCall call(words.all.data());
    ASSERT_EQ(call.numTensors(), 2u);
    EXPECT_EQ(call.run(addOne), 0);
    BlockCall::Part read = call.part(0), written = call.part(1);
    EXPECT_EQ(read.begin, reinterpret_cast<char *>(source.data()));
    EXPECT_EQ(read.bytes, static_cast<int64_t>(4 * source.size()));
    EXPECT_TRUE(read.isRead && !read.isWritten);
    EXPECT_EQ(written.begin, reinterpret_cast<char *>(result.data()));
    EXPECT_EQ(written.bytes, 4 * count);
    EXPECT_TRUE(!written.isRead && written.isWritten);
    std::vector<float> copy(source);
    call.move(0, reinterpret_cast<char *>(copy.data()));
    call.move(1, reinterpret_cast<char *>(again.data()));
    std::fill(source.begin(), source.end(), -1000.0f);
    EXPECT_EQ(call.run(addOne), 0);
    EXPECT_EQ(again, result);
  }
}

TEST(Block, NothingIsTouchedOfAnEmptyTensor) {
  Words words;
  words.add(nullptr, TAPESTRY_BLOCK_C128, {3, 0}, {5, 1});
  words.add(nullptr, TAPESTRY_BLOCK_I8, {0}, {1}, 1, 3);
  BlockCall call(words.all.data());
  for (size_t tensor : {0, 1}) {
    BlockCall::Part part = call.part(tensor);
    EXPECT_EQ(part.bytes, 0);
    EXPECT_FALSE(part.isRead || part.isWritten);
  }
}

//===- Block.cpp - Calls of functions that compute blocks -----------------===//

#include "Core/Block.h"
#include "tapestry-rt/ABI.h"
#include <cstring>
#include <utility>

using namespace tapestry::rt;

static_assert(TAPESTRY_BLOCK_F64 == static_cast<int>(TAPESTRY_F64) &&
                  TAPESTRY_BLOCK_U8 == static_cast<int>(TAPESTRY_U8) &&
                  TAPESTRY_BLOCK_C128 == static_cast<int>(TAPESTRY_C128),
              "two names of the same numbers");

static int64_t countElements(const TapestryBlockTensor &tensor) {
  int64_t elements = 1;
  for (int32_t dim = 0; dim < tensor.rank; ++dim)
    elements *= tensor.sizes[dim];
  return elements;
}

/// Writes all elements of the two words' bits.
void BlockCall::fill(const TapestryBlockTensor &tensor,
                     const int64_t (&bits)[2]) {
  bool isComplex =
      tensor.type == TAPESTRY_BLOCK_C64 || tensor.type == TAPESTRY_BLOCK_C128;
  int parts = isComplex ? 2 : 1;
  int64_t bytes = tapestry_block_bytes(tensor.type) / parts;
  auto *to = static_cast<char *>(tensor.data);
  for (int64_t element = countElements(tensor); element > 0; --element)
    for (int part = 0; part < parts; ++part) {
      memcpy(to, &bits[part], static_cast<size_t>(bytes));
      to += bytes;
    }
}

void BlockCall::readTensor(const int64_t *&words) {
  TapestryBlockTensor tensor = {};
  tensor.data = reinterpret_cast<void *>(*words++);
  tensor.type = static_cast<int32_t>(*words++);
  tensor.rank = static_cast<int32_t>(*words++);
  fills.push_back({words[0] != 0, {words[1], words[2]}});
  words += 3;
  auto rank = static_cast<size_t>(tensor.rank);
  std::vector<int64_t> whole(rank), offsets(rank), sizes(rank), strides(rank);
  for (size_t dim = 0; dim < rank; ++dim) {
    whole[dim] = *words++;
    offsets[dim] = *words++;
    sizes[dim] = *words++;
    strides[dim] = *words++;
  }
  tensor.extents = whole.data();
  tensor.offsets = offsets.data();
  tensor.sizes = sizes.data();
  tensor.strides = strides.data();
  tensors.push_back(tensor);
  // Where a list's elements lie stays when it is moved.
  for (auto *list : {&whole, &offsets, &sizes, &strides})
    lists.push_back(std::move(*list));
}

BlockCall::BlockCall(const int64_t *words) {
  call.version = TAPESTRY_BLOCK_VERSION;
  call.struct_size = sizeof(TapestryBlockCall);
  call.num_labels = static_cast<int32_t>(*words++);
  call.num_inputs = static_cast<int32_t>(*words++);
  call.num_outputs = static_cast<int32_t>(*words++);
  call.num_params = static_cast<int32_t>(*words++);
  for (int32_t label = 0; label < call.num_labels; ++label) {
    lo.push_back(*words++);
    hi.push_back(*words++);
    extents.push_back(*words++);
    isEmpty |= hi.back() <= lo.back();
  }
  for (int32_t i = 0; i < call.num_inputs + call.num_outputs; ++i)
    readTensor(words);
  for (int32_t i = 0; i < call.num_params; ++i) {
    TapestryBlockParam param = {};
    param.type = static_cast<int32_t>(*words++);
    int64_t value = *words++;
    if (param.type <= TAPESTRY_BLOCK_BF16)
      memcpy(&param.number, &value, sizeof(value));
    else
      param.integer = value;
    params.push_back(param);
  }
  call.lo = lo.data();
  call.hi = hi.data();
  call.label_extents = extents.data();
  call.inputs = tensors.data();
  call.outputs = tensors.data() + call.num_inputs;
  call.params = params.data();
}

BlockCall::Part BlockCall::part(size_t number) const {
  const TapestryBlockTensor &tensor = tensors[number];
  bool isWritten = number >= static_cast<size_t>(call.num_inputs);
  auto *data = static_cast<char *>(tensor.data);
  if (countElements(tensor) == 0)
    return {data, 0, false, false};
  int64_t first = 0, last = 0;
  for (int32_t dim = 0; dim < tensor.rank; ++dim) {
    int64_t way = (tensor.sizes[dim] - 1) * tensor.strides[dim];
    (way < 0 ? first : last) += way;
  }
  int64_t bytes = tapestry_block_bytes(tensor.type);
  return {data + first * bytes, (last - first + 1) * bytes,
          !fills[number].isFilled, isWritten};
}

void BlockCall::move(size_t tensor, char *begin) {
  tensors[tensor].data =
      begin + (static_cast<char *>(tensors[tensor].data) - part(tensor).begin);
}

int32_t BlockCall::run(TapestryBlockFunction function) {
  for (size_t number = 0; number < tensors.size(); ++number)
    if (fills[number].isFilled)
      fill(tensors[number], fills[number].bits);
  return isEmpty ? 0 : function(&call);
}

//===- Block.cpp - Calls of functions that compute blocks -----------------===//

#include "Core/Block.h"
#include "tapestry-rt/ABI.h"
#include <cstring>
#include <vector>

using namespace tapestry::rt;

static_assert(TAPESTRY_BLOCK_F64 == static_cast<int>(TAPESTRY_F64) &&
                  TAPESTRY_BLOCK_U8 == static_cast<int>(TAPESTRY_U8) &&
                  TAPESTRY_BLOCK_C128 == static_cast<int>(TAPESTRY_C128),
              "two names of the same numbers");

namespace {

/// The words of a call, read one after another.
class Reader {
public:
  explicit Reader(const int64_t *words) : words(words) {}
  int64_t next() { return *words++; }

private:
  const int64_t *words;
};

/// Tensors and the lists of numbers that they point into.
struct Tensors {
  std::vector<TapestryBlockTensor> tensors;
  std::vector<std::vector<int64_t>> lists;

  void read(Reader &words);
};

} // namespace

/// Writes `count` elements of the two words' bits.
static void fill(void *data, int32_t type, int64_t count,
                 const int64_t (&bits)[2]) {
  bool isComplex = type == TAPESTRY_BLOCK_C64 || type == TAPESTRY_BLOCK_C128;
  int parts = isComplex ? 2 : 1;
  int64_t bytes = tapestry_block_bytes(type) / parts;
  auto *to = static_cast<char *>(data);
  for (int64_t element = 0; element < count; ++element)
    for (int part = 0; part < parts; ++part) {
      memcpy(to, &bits[part], static_cast<size_t>(bytes));
      to += bytes;
    }
}

void Tensors::read(Reader &words) {
  TapestryBlockTensor tensor = {};
  tensor.data = reinterpret_cast<void *>(words.next());
  tensor.type = static_cast<int32_t>(words.next());
  tensor.rank = static_cast<int32_t>(words.next());
  bool isFilled = words.next() != 0;
  int64_t first = words.next(), second = words.next();
  const int64_t bits[2] = {first, second};
  auto rank = static_cast<size_t>(tensor.rank);
  std::vector<int64_t> extents(rank), offsets(rank), sizes(rank), strides(rank);
  int64_t elements = 1;
  for (size_t dim = 0; dim < rank; ++dim) {
    extents[dim] = words.next();
    offsets[dim] = words.next();
    sizes[dim] = words.next();
    strides[dim] = words.next();
    elements *= sizes[dim];
  }
  if (isFilled)
    fill(tensor.data, tensor.type, elements, bits);
  tensor.extents = extents.data();
  tensor.offsets = offsets.data();
  tensor.sizes = sizes.data();
  tensor.strides = strides.data();
  tensors.push_back(tensor);
  // Where a list's elements lie stays when it is moved.
  for (auto *list : {&extents, &offsets, &sizes, &strides})
    lists.push_back(std::move(*list));
}

int32_t tapestry::rt::callBlock(TapestryBlockFunction function,
                                const int64_t *given) {
  Reader words(given);
  TapestryBlockCall call = {};
  call.version = TAPESTRY_BLOCK_VERSION;
  call.struct_size = sizeof(TapestryBlockCall);
  call.num_labels = static_cast<int32_t>(words.next());
  call.num_inputs = static_cast<int32_t>(words.next());
  call.num_outputs = static_cast<int32_t>(words.next());
  call.num_params = static_cast<int32_t>(words.next());
  std::vector<int64_t> lo, hi, extents;
  bool isEmpty = false;
  for (int32_t label = 0; label < call.num_labels; ++label) {
    lo.push_back(words.next());
    hi.push_back(words.next());
    extents.push_back(words.next());
    isEmpty |= hi.back() <= lo.back();
  }
  Tensors tensors;
  for (int32_t i = 0; i < call.num_inputs + call.num_outputs; ++i)
    tensors.read(words);
  std::vector<TapestryBlockParam> params;
  for (int32_t i = 0; i < call.num_params; ++i) {
    TapestryBlockParam param = {};
    param.type = static_cast<int32_t>(words.next());
    int64_t value = words.next();
    if (param.type <= TAPESTRY_BLOCK_BF16)
      memcpy(&param.number, &value, sizeof(value));
    else
      param.integer = value;
    params.push_back(param);
  }
  if (isEmpty)
    return 0;
  call.lo = lo.data();
  call.hi = hi.data();
  call.label_extents = extents.data();
  call.inputs = tensors.tensors.data();
  call.outputs = tensors.tensors.data() + call.num_inputs;
  call.params = params.data();
  return function(&call);
}

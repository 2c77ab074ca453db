//===- Products.h - Products by cuBLASLt ------------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_CUDA_PRODUCTS_H
#define TAPESTRY_RT_CUDA_PRODUCTS_H

#include "CUDA/CublasLtAPI.h"
#include "tapestry-rt/Device.h"
#include <array>
#include <map>

namespace tapestry {
namespace rt {
namespace cuda {

/// The library, which all ranks of a process share; opened once and never
/// closed. Null, with an error, where there is none.
const lt::API *openCublasLt(TransportError &error);

/// What one rank multiplies by: a handle, and per kind of product the algorithm
/// that the library's heuristics chose when it came first.
class Products {
public:
  Products() = default;
  ~Products();
  Products(const Products &) = delete;
  Products &operator=(const Products &) = delete;

  /// For the GPU that the calling thread uses.
  bool open(TransportError &error);
  bool multiply(const TapestryProduct &product, const ProductMemory &memory,
                Stream stream, TransportError &error);

private:
  /// All that an algorithm is chosen by.
  using Key = std::array<int64_t, 26>;
  struct Chosen {
    lt::Operation operation = nullptr;
    /// In the library's order: of our right, our left, and the result.
    lt::Layout layouts[3] = {nullptr, nullptr, nullptr};
    lt::Algorithm algorithm = {};
  };

  static Key keyOf(const TapestryProduct &product, const ProductMemory &memory);
  bool choose(const TapestryProduct &product, const ProductMemory &memory,
              Chosen &chosen, TransportError &error);
  bool describe(const TapestryProduct &product, const ProductMemory &memory,
                Chosen &chosen, TransportError &error);
  bool setBias(Chosen &chosen, const void *bias, TransportError &error);
  bool layOut(const TapestryMatrix &matrix, int64_t rows, int64_t columns,
              int64_t batches, lt::Layout &layout, TransportError &error);
  bool ask(const TapestryProduct &product, const ProductMemory &memory,
           Chosen &chosen, lt::Preference preference, TransportError &error);
  bool check(const char *call, lt::Status status, TransportError &error) const;
  void destroy(Chosen &chosen);

  const lt::API *api = nullptr;
  lt::Handle handle = nullptr;
  std::map<Key, Chosen> known;
};

} // namespace cuda
} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CUDA_PRODUCTS_H

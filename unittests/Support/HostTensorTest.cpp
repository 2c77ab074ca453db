//===- HostTensorTest.cpp - 16-bit formats and tensors --------------------===//

#include "tapestry/Support/HostTensor.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace tapestry;

namespace {

struct Format {
  const llvm::fltSemantics &semantics;
  double (*decode)(uint16_t);
  uint16_t (*encode)(double);

  double decodeByAPFloat(uint16_t bits) const {
    llvm::APFloat value(semantics, llvm::APInt(16, bits));
    bool losesInfo = false;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  uint16_t encodeByAPFloat(double real) const {
    llvm::APFloat value(real);
    bool losesInfo = false;
    value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
  }
};

class HalfFormat : public testing::TestWithParam<bool> {
protected:
  Format format = GetParam()
                      ? Format{llvm::APFloat::BFloat(), decodeBF16, encodeBF16}
                      : Format{llvm::APFloat::IEEEhalf(), decodeF16, encodeF16};
};

TEST_P(HalfFormat, EveryPattern) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    double value = format.decode(bits);
    double expected = format.decodeByAPFloat(bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      continue;
    }
    ASSERT_EQ(value, expected) << bits;
    ASSERT_EQ(std::signbit(value), std::signbit(expected)) << bits;
    ASSERT_EQ(format.encode(value), bits);
  }
}

TEST_P(HalfFormat, RoundsToTheNearest) {
  std::mt19937_64 random(7);
  for (unsigned round = 0; round < 200000; ++round) {
    // Any exponent around the format's range, and ties.
    double scale = std::ldexp(1.0, static_cast<int>(random() % 320) - 160);
    double value = static_cast<double>(static_cast<int64_t>(random())) *
                   std::ldexp(scale, -63);
    if (round % 2)
      value = format.decode(random() & 0x7bff) *
              (1 + std::ldexp(1.0, -static_cast<int>(random() % 14)));
    if (std::isnan(value))
      continue;
    ASSERT_EQ(format.encode(value), format.encodeByAPFloat(value)) << value;
  }
  EXPECT_EQ(format.encode(-0.0), 0x8000);
  EXPECT_TRUE(std::isnan(format.decode(format.encode(std::nan("")))));
  EXPECT_TRUE(std::isinf(format.decode(format.encode(1e300))));
}

INSTANTIATE_TEST_SUITE_P(Formats, HalfFormat, testing::Bool());

TEST(HostTensor, DescribesItself) {
  HostTensor tensor = llvm::cantFail(HostTensor::create(DType::BF16, {3, 5}));
  EXPECT_EQ(tensor.describe(), "bf16[3, 5]");
  EXPECT_EQ(tensor.numElements(), 15);
  EXPECT_EQ(tensor.bytes.size(), 30u);
  HostTensor scalar = llvm::cantFail(HostTensor::create(DType::Bool, {}));
  EXPECT_EQ(scalar.describe(), "bool[]");
  EXPECT_EQ(scalar.bytes.size(), 1u);
}

TEST(HostTensor, TooLargeIsAnError) {
  int64_t huge = int64_t(1) << 40;
  llvm::Expected<HostTensor> tensor =
      HostTensor::create(DType::F64, {huge, huge});
  ASSERT_FALSE(static_cast<bool>(tensor));
  EXPECT_EQ(llvm::toString(tensor.takeError()),
            "no memory for a tensor of type f64[1099511627776, 1099511627776]");
}

} // namespace

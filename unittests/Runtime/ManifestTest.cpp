//===- ManifestTest.cpp - What a checkpoint holds -------------------------===//

#include "Session/Manifest.h"
#include "Testing.h"
#include "gtest/gtest.h"

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

static Manifest sample() {
  Manifest manifest;
  manifest.devices = 2;
  ManifestEntry matrix = {"W 1",
                          TAPESTRY_F32,
                          {3, 4},
                          "tensor+0.npy",
                          176,
                          0xfedcba9876543210,
                          {{0, 2}, {0, 4}, {2, 3}, {0, 4}},
                          {1, 1}};
  ManifestEntry scalar = {"\xc3\xa9", TAPESTRY_C128, {}, "e.npy", 144, 7,
                          {},         {1, 0}};
  manifest.tensors = {matrix, scalar};
  return manifest;
}

TEST(Manifest, ReadsBackWhatItWrites) {
  Manifest read;
  Status status = readManifest(manifestText(sample()), read);
  ASSERT_FALSE(status.failed()) << status.message();
  EXPECT_EQ(manifestText(read), manifestText(sample()));
  ASSERT_EQ(read.tensors.size(), 2u);
  EXPECT_EQ(read.tensors[0].checksum, 0xfedcba9876543210);
  EXPECT_EQ(read.tensors[1].name, "\xc3\xa9");
  EXPECT_EQ(read.tensors[1].owner, (std::vector<uint8_t>{1, 0}));
}

/// The message about the sample with `from` replaced.
static std::string problemOf(const std::string &from, const std::string &to) {
  std::string text = manifestText(sample());
  size_t at = text.find(from);
  if (at == std::string::npos)
    return "there is no " + from + " in " + text;
  text.replace(at, from.size(), to);
  Manifest read;
  return readManifest(text, read).message();
}

TEST(Manifest, SaysWhatIsWrong) {
  EXPECT_EQ(
      problemOf("\"tapestry_checkpoint\": 1", "\"tapestry_checkpoint\": 2"),
      "it is of version 2, this runtime reads 1");
  EXPECT_EQ(problemOf("\"tapestry_checkpoint\": 1", "\"tapestry\": 1"),
            "'tapestry_checkpoint' is no whole number");
  EXPECT_EQ(problemOf("\"devices\": 2", "\"devices\": 0"),
            "'devices' is 0, the least is 1");
  EXPECT_EQ(problemOf("\"devices\": 2", "\"devices\": 5000"),
            "'devices' is 5000, the most is 1024");
  EXPECT_EQ(problemOf("\"devices\": 2", "\"devices\": 3"),
            "tensor 0 ('W 1'): 'owners' has 2 numbers, there are 3 devices");
  EXPECT_EQ(problemOf("\"tensors\"", "\"tensor\""),
            "it is no object with a list 'tensors'");
  EXPECT_EQ(problemOf("W 1", "W=1"),
            "tensor 0 ('W=1'): error: 'W=1' cannot be a tensor's name: it has "
            "'='");
  EXPECT_EQ(problemOf("\xc3\xa9", "W 1"), "tensor 1 ('W 1'): it stands twice");
  EXPECT_EQ(problemOf("e.npy", "tensor+0.npy"),
            "tensor 1 ('\xc3\xa9'): it stands twice");
  EXPECT_EQ(problemOf("f32", "f31"),
            "tensor 0 ('W 1'): there is no element type 'f31'");
  EXPECT_EQ(
      problemOf("[3, 4]", "[3, -4]"),
      "tensor 0 ('W 1'): 'shape' has an element that is no number from 0");
  EXPECT_EQ(problemOf("[3, 4]", "[4611686018427387904, 4]"),
            "tensor 0 ('W 1'): no 64-bit number counts the bytes of shape "
            "[4611686018427387904, 4]");
  for (const char *file : {"../e.npy", "", ".e", "manifest.json"})
    EXPECT_EQ(problemOf("tensor+0.npy", file),
              std::string("tensor 0 ('W 1'): '") + file +
                  "' can be no file of a checkpoint");
  EXPECT_EQ(problemOf("176", "1.5"),
            "tensor 0 ('W 1'): 'bytes' is no whole number");
  EXPECT_EQ(problemOf("fedc", "g"),
            "tensor 0 ('W 1'): checksum 'gba9876543210' is no hexadecimal "
            "number of 64 bits");
  EXPECT_EQ(problemOf("[0, 2, 0, 4,", "[0, 2, 0,"),
            "tensor 0 ('W 1'): 'boxes' has 7 numbers, 2 devices need 8");
  EXPECT_EQ(problemOf("[0, 2, 0, 4,", "[0, 2, 0, 5,"),
            "tensor 0 ('W 1'): device 0 has [0, 2) x [0, 5) of shape [3, 4]");
  EXPECT_EQ(problemOf("[1, 1]", "[1, 0]"),
            "tensor 0 ('W 1'): the owners have 8 elements, the tensor has 12");
  EXPECT_EQ(problemOf("{", "["), "line 1: an element is not followed by ',' or "
                                 "']'");
}

/// Any cut gives the same sum, and any change of a byte another one.
TEST(Manifest, ChecksumsAreSumsOfPieces) {
  std::mt19937 random(3);
  std::string bytes(997, '\0');
  for (char &byte : bytes)
    byte = static_cast<char>(random());
  auto size = static_cast<int64_t>(bytes.size());
  uint64_t whole = checksumOf(bytes.data(), 0, size);
  for (int round = 0; round < 200; ++round) {
    uint64_t sum = 0;
    for (int64_t at = 0; at < size;) {
      int64_t count = std::min<int64_t>(1 + random() % 90, size - at);
      sum += checksumOf(bytes.data() + at, at, count);
      at += count;
    }
    EXPECT_EQ(sum, whole);
  }
  for (int64_t at = 0; at < size; ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << at % 8));
    EXPECT_NE(checksumOf(changed.data(), 0, size), whole);
  }
  std::swap(bytes[100], bytes[108]);
  EXPECT_NE(checksumOf(bytes.data(), 0, size), whole);
}

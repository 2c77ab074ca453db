//===- JSONTest.cpp - Tests of the JSON writer ----------------------------===//

#include "Core/JSON.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace tapestry::rt;

static std::string written(const std::string &text) {
  JSONWriter json;
  json.value(text);
  return json.text();
}

static std::string written(double number) {
  JSONWriter json;
  json.value(number);
  return json.text();
}

TEST(JSON, Escapes) {
  EXPECT_EQ(written("a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\u000a\\u0009\\u0001\"");
  EXPECT_EQ(written("\xc3\xa9 \xe2\x88\x91 \xf0\x9f\x98\x80"),
            "\"\xc3\xa9 \xe2\x88\x91 \xf0\x9f\x98\x80\"");
}

TEST(JSON, ReplacesWhatIsNotUTF8) {
  EXPECT_EQ(written("a\xff"
                    "b"),
            "\"a\\ufffdb\"");
  EXPECT_EQ(written("\xc0\x80"), "\"\\ufffd\\ufffd\"");            // overlong
  EXPECT_EQ(written("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\""); // surrogate
  EXPECT_EQ(written("\xe2\x88"), "\"\\ufffd\\ufffd\"");            // cut off
}

TEST(JSON, NumbersReadBackExactly) {
  EXPECT_EQ(written(0.5), "0.5");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(std::stod(written(1.0 / 3)), 1.0 / 3);
  EXPECT_EQ(std::stod(written(1e-300)), 1e-300);
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::nan("")), "null");
}

TEST(JSON, Nesting) {
  JSONWriter json;
  json.beginObject();
  json.member("a", int64_t(-9007199254740993));
  json.key("b");
  json.beginArray(/*lines=*/true);
  json.beginObject();
  json.member("c", "d");
  json.endObject();
  json.value(2);
  json.endArray();
  json.key("e");
  json.beginArray();
  json.endArray();
  json.endObject();
  EXPECT_EQ(json.text(), "{\"a\": -9007199254740993, \"b\": [\n"
                         "    {\"c\": \"d\"},\n    2\n  ], \"e\": []}");
}

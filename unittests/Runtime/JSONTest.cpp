//===- JSONTest.cpp - Tests of JSON texts ---------------------------------===//

#include "Core/JSON.h"
#include "Core/JSONValue.h"
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

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TEST(JSONValue, Values) {
  JSONValue value;
  std::string problem;
  ASSERT_TRUE(readJSON(" {\"a\": [1, -2.5e1, true,\tnull],\n\"b\": "
                       "{\"\": \"\\u00e9\\ud83d\\ude00\\n\\\"\"}}\n",
                       value, problem))
      << problem;
  ASSERT_TRUE(value.isObject());
  const JSONValue *a = value.find("a");
  ASSERT_TRUE(a && a->isArray() && a->items.size() == 4);
  EXPECT_TRUE(a->items[0].isInteger());
  EXPECT_EQ(a->items[0].integer, 1);
  EXPECT_EQ(a->items[1].kind, JSONValue::Kind::Real);
  EXPECT_EQ(a->items[1].real, -25);
  EXPECT_EQ(a->items[2].kind, JSONValue::Kind::Bool);
  EXPECT_EQ(a->items[3].kind, JSONValue::Kind::Null);
  EXPECT_EQ(value.find("b")->find("")->text, "\xc3\xa9\xf0\x9f\x98\x80\n\"");
  EXPECT_EQ(value.find("c"), nullptr);
}

TEST(JSONValue, Numbers) {
  JSONValue value;
  std::string problem;
  for (const char *text : {"9223372036854775807", "-9223372036854775808"}) {
    ASSERT_TRUE(readJSON(text, value, problem));
    EXPECT_TRUE(value.isInteger());
    EXPECT_EQ(std::to_string(value.integer), text);
  }
  ASSERT_TRUE(readJSON("9223372036854775808", value, problem));
  EXPECT_EQ(value.kind, JSONValue::Kind::Real);
}

TEST(JSONValue, WhatIsNone) {
  JSONValue value;
  auto problemOf = [&](const std::string &text) {
    std::string problem;
    EXPECT_FALSE(readJSON(text, value, problem)) << text;
    return problem;
  };
  EXPECT_EQ(problemOf(""), "line 1: the text ends early");
  EXPECT_EQ(problemOf("{}\n\nx"), "line 3: something follows the value");
  EXPECT_EQ(problemOf("[1 2]"),
            "line 1: an element is not followed by ',' or ']'");
  EXPECT_EQ(problemOf("[,]"), "line 1: there is no value that JSON knows");
  EXPECT_EQ(problemOf("{\"a\": 1,\n\"a\": 2}"), "line 2: 'a' stands twice");
  EXPECT_EQ(problemOf("{\"a\" 1}"), "line 1: 'a' is not followed by ':'");
  EXPECT_EQ(problemOf("{1: 2}"), "line 1: a member has no name");
  EXPECT_EQ(problemOf("{\"a\": 1 \"b\": 2}"),
            "line 1: a member is not followed by ',' or '}'");
  EXPECT_EQ(problemOf("\"a"), "line 1: a text does not end");
  EXPECT_EQ(problemOf("\"a\nb\""), "line 1: a text has a control character");
  for (const char *escape : {"\"\\x\"", "\"\\u12\"", "\"\\ud800\""})
    EXPECT_EQ(problemOf(escape),
              "line 1: a text has an escape that JSON does not know");
  EXPECT_EQ(problemOf(std::string(1000, '[')),
            "line 1: values are nested more than 100 deep");
  EXPECT_EQ(problemOf(std::string("1\0", 2)),
            "line 1: something follows the value");
}

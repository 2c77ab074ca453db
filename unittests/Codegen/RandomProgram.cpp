//===- RandomProgram.cpp - Random linalg programs -------------------------===//
//
// Draws labels, operands, a body and layouts, and prints them as IR.
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"
#include <algorithm>
#include <tuple>

namespace tapestry::test {
namespace {

/// One subscript: a sum of label * coefficient, and a constant.
struct Subscript {
  std::vector<std::pair<int, int64_t>> terms;
  int64_t constant = 0;
};

struct Operand {
  std::string type;
  std::vector<Subscript> subscripts;
};

class Generator {
public:
  explicit Generator(std::mt19937 &random) : random(random) {}
  RandomProgram run();

private:
  int64_t pick(std::initializer_list<int64_t> values) {
    return values.begin()[random() % values.size()];
  }
  bool chance(int percent) { return int(random() % 100) < percent; }

  void drawLabels();
  void drawOperands();
  Subscript subscriptOf(int label);
  void drawBody();
  std::string combine(const std::string &accumulator, const std::string &value);
  std::string floatBody();
  std::string integerBody();
  std::string boolBody();
  RandomArgument layout(const Operand &operand);
  int64_t extentOf(const Subscript &subscript) const;
  std::string print(const Operand &operand, const RandomArgument &argument,
                    const std::vector<bool> &dynamic) const;
  std::string map(const Operand &operand) const;

  std::mt19937 &random;
  std::vector<int64_t> extents;
  std::vector<bool> reduction;
  std::vector<Operand> inputs;
  Operand output;
  /// Elements of inputs and result as stored, and what the body computes in.
  std::string inputType, outputType, computeType, body;
};

void Generator::drawLabels() {
  int parallel = pick({0, 1, 1, 2, 2, 2, 3, 3}),
      reduced = pick({0, 1, 1, 1, 2});
  if (parallel + reduced == 0 && chance(70))
    parallel = 1;
  int64_t points = 1;
  for (int i = 0; i < parallel + reduced; ++i) {
    int64_t extent = pick({1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33, 48, 70, 130});
    if (chance(2))
      extent = 0;
    while (points * std::max<int64_t>(extent, 1) > 60000)
      extent = std::max<int64_t>(extent / 2, 1);
    points *= std::max<int64_t>(extent, 1);
    extents.push_back(extent);
    reduction.push_back(i >= parallel);
  }
}

Subscript Generator::subscriptOf(int label) {
  Subscript result;
  result.terms.push_back({label, 1});
  return result;
}

void Generator::drawOperands() {
  std::vector<int> labels(extents.size());
  for (size_t i = 0; i < labels.size(); ++i)
    labels[i] = i;
  output.type = outputType;
  std::shuffle(labels.begin(), labels.end(), random);
  if (chance(60))
    std::sort(labels.begin(), labels.end());
  for (int label : labels)
    if (!reduction[label])
      output.subscripts.push_back(subscriptOf(label));

  std::vector<bool> covered(extents.size(), false);
  int count = pick({1, 2, 2, 2, 3});
  for (int number = 0; number < count; ++number) {
    Operand operand;
    operand.type = inputType;
    std::shuffle(labels.begin(), labels.end(), random);
    if (chance(40))
      std::sort(labels.begin(), labels.end());
    for (int label : labels) {
      bool last = number + 1 == count;
      if (!chance(60) && !(last && reduction[label] && !covered[label]))
        continue;
      covered[label] = true;
      operand.subscripts.push_back(subscriptOf(label));
    }
    // A window: another label joins a subscript. Its own extent must still be
    // plain in some operand.
    bool empty = std::count(extents.begin(), extents.end(), 0) > 0;
    if (operand.subscripts.size() && !empty && chance(20)) {
      Subscript &at = operand.subscripts[random() % operand.subscripts.size()];
      at.terms[0].second = pick({1, 2});
      at.terms.push_back({int(random() % extents.size()), pick({1, 2})});
      at.constant = pick({0, 0, 1});
    }
    if (operand.subscripts.size() && chance(10)) // A diagonal.
      operand.subscripts.push_back(
          operand.subscripts[random() % operand.subscripts.size()]);
    inputs.push_back(std::move(operand));
  }
  // Every label needs a plain place that gives its extent: add an operand.
  Operand plain;
  plain.type = inputType;
  for (int label = 0; label < int(extents.size()); ++label) {
    bool found = !reduction[label];
    for (const Operand &operand : inputs)
      for (const Subscript &s : operand.subscripts)
        found |= s.terms.size() == 1 && s.constant == 0 &&
                 s.terms[0] == std::pair<int, int64_t>(label, 1);
    if (!found)
      plain.subscripts.push_back(subscriptOf(label));
  }
  if (!plain.subscripts.empty())
    inputs.push_back(plain);
}

std::string Generator::floatBody() {
  bool narrow = inputType != computeType;
  std::string text;
  std::vector<std::string> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string id = "%a" + std::to_string(i);
    if (narrow) {
      text += "    %w" + std::to_string(i) + " = arith.extf " + id + " : " +
              inputType + " to " + computeType + "\n";
      id = "%w" + std::to_string(i);
    }
    values.push_back(id);
  }
  int next = 0;
  auto emit = [&](const std::string &op, const std::string &operands) {
    std::string id = "%t" + std::to_string(next++);
    text +=
        "    " + id + " = " + op + " " + operands + " : " + computeType + "\n";
    return id;
  };
  std::string value = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    const char *ops[] = {"arith.mulf", "arith.mulf", "arith.addf", "arith.subf",
                         "arith.maximumf"};
    value = emit(ops[random() % 5], value + ", " + values[i]);
  }
  if (chance(15))
    value = emit("arith.mulf", value + ", " + value);
  if (chance(15))
    value = emit("math.absf", value);
  if (chance(10)) {
    std::string bounded = emit("math.absf", value);
    value = emit("math.exp", emit("arith.negf", bounded));
  }
  if (!extents.empty() &&
      chance(15)) { // Zero where one label is below another.
    std::string i = std::to_string(random() % extents.size());
    std::string j = std::to_string(random() % extents.size());
    text += "    %i = linalg.index " + i + " : index\n    %j = linalg.index " +
            j + " : index\n    %c = arith.cmpi sle, %i, %j : index\n" +
            "    %zero = arith.constant 0.0 : " + computeType +
            "\n    %sel = arith.select %c, " + value +
            ", %zero : " + computeType + "\n";
    value = "%sel";
  }
  if (computeType == outputType)
    return text + combine("%acc", value);
  // A narrow result is widened, combined and rounded again.
  return text + "    %wide = arith.extf %acc : " + outputType + " to " +
         computeType + "\n" + combine("%wide", value) +
         "    %z = arith.truncf %y : " + computeType + " to " + outputType +
         "\n";
}

std::string Generator::integerBody() {
  std::string text;
  int next = 0;
  auto emit = [&](const std::string &op, const std::string &operands) {
    std::string id = "%t" + std::to_string(next++);
    text +=
        "    " + id + " = " + op + " " + operands + " : " + outputType + "\n";
    return id;
  };
  std::vector<std::string> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string id = "%a" + std::to_string(i);
    if (inputType != outputType) {
      text += "    %w" + std::to_string(i) + " = arith.extsi " + id + " : " +
              inputType + " to " + outputType + "\n";
      id = "%w" + std::to_string(i);
    }
    values.push_back(id);
  }
  std::string value = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    const char *ops[] = {"arith.muli", "arith.addi", "arith.subi",
                         "arith.minsi", "arith.xori"};
    if (chance(10)) { // Division by what is never zero on real lanes.
      std::string one = "%one" + std::to_string(i);
      text += "    " + one + " = arith.constant 1 : " + outputType + "\n";
      std::string odd = emit("arith.ori", values[i] + ", " + one);
      value =
          emit(chance(50) ? "arith.divsi" : "arith.remsi", value + ", " + odd);
      continue;
    }
    value = emit(ops[random() % 5], value + ", " + values[i]);
  }
  return text + combine("%acc", value);
}

std::string Generator::boolBody() {
  std::string text;
  for (size_t i = 0; i < inputs.size(); ++i)
    text += "    %w" + std::to_string(i) + " = arith.trunci %a" +
            std::to_string(i) + " : i8 to i1\n";
  std::string value = "%w0";
  for (size_t i = 1; i < inputs.size(); ++i) {
    std::string id = "%t" + std::to_string(i);
    text += "    " + id + " = " + (chance(60) ? "arith.andi " : "arith.xori ") +
            value + ", %w" + std::to_string(i) + " : i1\n";
    value = id;
  }
  text += "    %v = arith.extui " + value + " : i1 to i8\n";
  bool any = std::count(reduction.begin(), reduction.end(), true) > 0;
  const char *ops[] = {"arith.ori", "arith.andi", "arith.xori"};
  return text + (any ? std::string("    %y = ") + ops[random() % 3] +
                           " %acc, %v : i8\n"
                     : "    %y = arith.trunci %v : i8 to i1\n    %z = "
                       "arith.extui %y : i1 to i8\n");
}

/// %y = accumulator (+) value; no (+) where there is nothing to reduce.
std::string Generator::combine(const std::string &accumulator,
                               const std::string &value) {
  bool floating = computeType[0] == 'f' || computeType[0] == 'b';
  std::string op;
  if (std::count(reduction.begin(), reduction.end(), true) == 0)
    return "    %y = " + std::string(floating ? "arith.addf " : "arith.addi ") +
           value + ", " + value + " : " + computeType + "\n";
  if (floating) {
    const char *ops[] = {"arith.addf", "arith.addf", "arith.maximumf",
                         "arith.minimumf"};
    op = ops[random() % 4];
    if (chance(8)) // A monoid of the user's: a + b + 2 a b, over (1 + 2 a).
      return "    %u0 = arith.mulf " + accumulator + ", " + value + " : " +
             computeType + "\n    %u1 = arith.addf " + accumulator + ", " +
             value + " : " + computeType +
             "\n    %two = arith.constant 2.0 : " + computeType +
             "\n    %u2 = arith.mulf %u0, %two : " + computeType +
             "\n    %y = arith.maximumf %u1, %u1 : " + computeType + "\n";
  } else {
    const char *ops[] = {"arith.addi",  "arith.muli", "arith.maxsi",
                         "arith.minsi", "arith.andi", "arith.ori",
                         "arith.xori"};
    op = ops[random() % 7];
  }
  bool swapped = chance(30);
  return "    %y = " + op + " " + (swapped ? value : accumulator) + ", " +
         (swapped ? accumulator : value) + " : " + computeType + "\n";
}

void Generator::drawBody() {
  if (inputType == "i8" && outputType == "i8" && chance(60))
    body = boolBody();
  else if (computeType[0] == 'f')
    body = floatBody();
  else
    body = integerBody();
}

int64_t Generator::extentOf(const Subscript &subscript) const {
  int64_t last = subscript.constant;
  bool plain = subscript.terms.size() == 1 && subscript.constant == 0;
  for (auto [label, factor] : subscript.terms) {
    if (plain && factor == 1)
      return extents[label];
    last += factor * std::max<int64_t>(extents[label] - 1, 0);
  }
  return last + 1;
}

RandomArgument Generator::layout(const Operand &operand) {
  RandomArgument argument;
  argument.elementType = operand.type;
  for (const Subscript &subscript : operand.subscripts)
    argument.shape.push_back(extentOf(subscript));
  size_t rank = argument.shape.size();
  argument.strides.assign(rank, 1);
  std::vector<size_t> order(rank);
  for (size_t i = 0; i < rank; ++i)
    order[i] = i;
  bool strided = rank > 0 && chance(25);
  if (strided && chance(40))
    std::shuffle(order.begin(), order.end(), random);
  int64_t stride = strided && chance(20) ? 2 : 1;
  for (size_t i = rank; i-- > 0;) {
    argument.strides[order[i]] = stride;
    stride *= std::max<int64_t>(argument.shape[order[i]], 1);
    if (strided)
      stride += pick({0, 1, 3});
  }
  argument.offset = strided ? pick({0, 5}) : 0;
  argument.span = argument.offset + 1;
  for (size_t i = 0; i < rank; ++i) {
    if (argument.shape[i] == 0)
      argument.span = 0;
    if (argument.span)
      argument.span += (argument.shape[i] - 1) * argument.strides[i];
  }
  return argument;
}

std::string Generator::print(const Operand &operand,
                             const RandomArgument &argument,
                             const std::vector<bool> &dynamic) const {
  std::string text = "memref<";
  std::vector<bool> unknown;
  for (size_t i = 0; i < argument.shape.size(); ++i) {
    bool hidden = false;
    for (auto [label, factor] : operand.subscripts[i].terms)
      hidden |= dynamic[label];
    unknown.push_back(hidden);
    text += (hidden ? "?" : std::to_string(argument.shape[i])) + "x";
  }
  text += argument.elementType;
  int64_t dense = 1;
  bool identity = argument.offset == 0;
  for (size_t i = argument.shape.size(); i-- > 0;) {
    identity &= argument.strides[i] == dense;
    dense *= std::max<int64_t>(argument.shape[i], 1);
  }
  if (identity)
    return text + ">";
  text += ", strided<[";
  bool hide = std::count(unknown.begin(), unknown.end(), true) > 0;
  for (size_t i = 0; i < argument.strides.size(); ++i)
    text += (i ? ", " : "") + (hide && argument.strides[i] != 1
                                   ? std::string("?")
                                   : std::to_string(argument.strides[i]));
  return text + "], offset: " +
         (hide ? std::string("?") : std::to_string(argument.offset)) + ">>";
}

std::string Generator::map(const Operand &operand) const {
  std::string text = "affine_map<(";
  for (size_t i = 0; i < extents.size(); ++i)
    text += (i ? ", d" : "d") + std::to_string(i);
  text += ") -> (";
  for (size_t i = 0; i < operand.subscripts.size(); ++i) {
    text += i ? ", " : "";
    const Subscript &subscript = operand.subscripts[i];
    for (size_t t = 0; t < subscript.terms.size(); ++t)
      text += (t ? " + d" : "d") + std::to_string(subscript.terms[t].first) +
              " * " + std::to_string(subscript.terms[t].second);
    if (subscript.constant)
      text += " + " + std::to_string(subscript.constant);
  }
  return text + ")>";
}

RandomProgram Generator::run() {
  const std::pair<const char *, const char *> types[] = {
      {"f32", "f32"}, {"f32", "f32"},  {"f32", "f32"}, {"f64", "f64"},
      {"f16", "f32"}, {"bf16", "f32"}, {"f16", "f16"}, {"bf16", "bf16"},
      {"i8", "i8"},   {"i8", "i32"},   {"i16", "i16"}, {"i32", "i32"},
      {"i64", "i64"}};
  std::tie(inputType, outputType) = types[random() % std::size(types)];
  computeType = outputType;
  if (computeType == "f16" || computeType == "bf16")
    computeType = "f32";
  drawLabels();
  drawOperands();
  drawBody();

  RandomProgram program;
  std::vector<bool> dynamic;
  bool all = chance(40);
  for (size_t i = 0; i < extents.size(); ++i) {
    dynamic.push_back(all || chance(20));
    if (reduction[i])
      program.depth *= std::max<int64_t>(extents[i], 1);
  }
  std::string head = "func.func @main(", ins, types0, arguments, maps, kinds;
  std::vector<Operand> operands = inputs;
  operands.push_back(output);
  for (size_t i = 0; i < operands.size(); ++i) {
    program.arguments.push_back(layout(operands[i]));
    std::string type = print(operands[i], program.arguments[i], dynamic);
    std::string id = "%b" + std::to_string(i);
    head += (i ? ", " : "") + id + ": " + type;
    maps += (i ? ", " : "") + map(operands[i]);
    if (i + 1 < operands.size()) {
      ins += (i ? ", " : "") + id;
      types0 += (i ? ", " : "") + type;
      arguments += "%a" + std::to_string(i) + ": " + operands[i].type + ", ";
    } else {
      arguments += "%acc: " + operands[i].type;
      head += ") attributes {llvm.emit_c_interface} {\n";
      types0 += ") outs(" + id + " : " + type;
    }
  }
  for (size_t i = 0; i < extents.size(); ++i)
    kinds += std::string(i ? ", " : "") +
             (reduction[i] ? "\"reduction\"" : "\"parallel\"");
  std::string result = body.find("%z =") != std::string::npos ? "%z" : "%y";
  program.text = head + "  linalg.generic {indexing_maps = [" + maps +
                 "], iterator_types = [" + kinds + "]} ins(" + ins + " : " +
                 types0 + ") {\n  ^bb0(" + arguments + "):\n" + body +
                 "    linalg.yield " + result + " : " + outputType +
                 "\n  }\n  return\n}\n";
  return program;
}

} // namespace

RandomProgram randomProgram(std::mt19937 &random) {
  return Generator(random).run();
}

} // namespace tapestry::test

//===- Graph.h - A checked .ein program -------------------------*- C++ -*-===//
//
// What analysis makes of a syntax tree: tensors with types and shapes, and one
// vertex per statement, those of the users' macros included, with everything
// that the text leaves implicit (extents, operands, types of literals) spelled
// out. Plain structs without MLIR, so that analysis is tested on its own.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_IMPORT_EIN_GRAPH_H
#define TAPESTRY_IMPORT_EIN_GRAPH_H

#include "tapestry/Import/Ein/Types.h"
#include "tapestry/Support/Projection.h"
#include "tapestry/Support/ShardingConstraint.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/SMLoc.h"
#include <string>
#include <vector>

namespace tapestry::ein {

/// (sum(coefficient * label) + constant) // d % m, rounding down.
struct LinearForm {
  struct Term {
    /// Position in Vertex::labels.
    unsigned label;
    int64_t coefficient;
    bool operator==(const Term &o) const {
      return label == o.label && coefficient == o.coefficient;
    }
  };
  /// Ascending in `label`, coefficients not zero.
  llvm::SmallVector<Term, 2> terms;
  int64_t constant = 0;
  /// At least 1.
  int64_t floordiv = 1;
  /// 0: no mod.
  int64_t mod = 0;

  bool operator==(const LinearForm &o) const {
    return terms == o.terms && constant == o.constant &&
           floordiv == o.floordiv && mod == o.mod;
  }
};

/// A value of a known element type: `real` for floats, both parts for complex
/// numbers, else `integer` (bool: 0 or 1).
struct Constant {
  int64_t integer = 0;
  double real = 0;
  double imaginary = 0;
  /// Tells -0.0 from 0.0, and a NaN equals itself.
  bool operator==(const Constant &o) const;
};

/// A read of a tensor; no two of an expression are equal.
struct Operand {
  /// Position in Graph::tensors.
  unsigned tensor;
  /// One per dimension of the tensor.
  llvm::SmallVector<LinearForm, 4> subscripts;
  /// What is read outside the tensor's bounds.
  std::optional<Constant> pad;
  /// How what leaves the tensor is folded back into it, other than around.
  std::optional<Fold> fold;

  bool operator==(const Operand &o) const {
    return tensor == o.tensor && subscripts == o.subscripts && pad == o.pad &&
           fold == o.fold;
  }
};

enum class NodeKind {
  Operand,  ///< index: position in Expression::operands
  Constant, ///< constant
  Compare,  ///< predicate, args 0 and 1
  Index,    ///< predicate, linear forms number `index` and `index` + 1
  Label,    ///< the label that is linear form number `index`, as a number
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  Neg,
  And, ///< of bools, or bit by bit
  Or,
  Xor,
  Shl,
  Shr,
  Not,
  Select, ///< condition, then, else
  Max,
  Min,
  Abs,
  Exp,
  Log,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Tanh,
  Erf,
  Sigmoid,
  Floor,
  Ceil,
  Sign,
  Round, ///< ties to even
  Trunc,
  Tan,
  Log1p,
  ExpM1,
  Log2,
  Log10,
  Exp2,
  Cbrt,
  Sinh,
  Cosh,
  Asin,
  Acos,
  Atan,
  Atan2,
  Hypot,
  IsNaN,
  IsInf,
  Re,
  Im,
  Conj,
  Arg,
  Complex,    ///< of its parts
  RandomBits, ///< at the point that form number `index` counts, of stream
              ///< `constant.integer`; argument 0 is the seed, an i64
  RandomUniform,
  RandomNormal,
  Cast ///< from the type of argument 0 to the node's
};

enum class Predicate { Eq, Ne, Lt, Le, Gt, Ge };

/// One step of a vertex's expression. Floats narrower than f32 are computed in
/// f32 and rounded only where they are cast or stored.
struct Node {
  NodeKind kind;
  ElementType type;
  Predicate predicate = Predicate::Eq;
  unsigned index = 0;
  /// Earlier nodes.
  llvm::SmallVector<unsigned, 3> args;
  Constant constant;

  bool operator==(const Node &o) const {
    return kind == o.kind && type == o.type && predicate == o.predicate &&
           index == o.index && args == o.args && constant == o.constant;
  }
};

/// A value at every point of a vertex's index space.
struct Expression {
  llvm::SmallVector<Operand, 4> operands;
  /// In order of evaluation; the last is the value.
  std::vector<Node> nodes;
  /// The forms that Index nodes compare, and those of Label and Random nodes.
  std::vector<LinearForm> forms;

  bool operator==(const Expression &o) const {
    return operands == o.operands && nodes == o.nodes && forms == o.forms;
  }
};

/// A monoid that the program defines, for values of one type.
struct CustomMonoid {
  std::string name;
  /// That values are combined in: f32 for narrower floats.
  ElementType type;
  /// Of two scalars, tensors 0 and 1.
  Expression combine;
  Constant identity;

  bool operator==(const CustomMonoid &o) const {
    return name == o.name && type == o.type && combine == o.combine &&
           identity == o.identity;
  }
};

/// A read of a table at places that data name. Of the vertex that it is, the
/// operands are the index tensors, read at distinct plain labels, and the forms
/// the other subscripts of the table.
struct Gather {
  /// A position in operands or forms.
  struct Subscript {
    bool isIndex;
    unsigned number;
    bool operator==(const Subscript &o) const {
      return isIndex == o.isIndex && number == o.number;
    }
  };
  /// Position in Graph::tensors.
  unsigned table;
  /// One per dimension of the table.
  llvm::SmallVector<Subscript, 4> subscripts;
  /// What is read outside the table's bounds; nothing: an index there is an
  /// error at run time.
  std::optional<Constant> pad;

  bool operator==(const Gather &o) const {
    return table == o.table && subscripts == o.subscripts && pad == o.pad;
  }
};

/// Values combined at places of the result. Of the vertex that it is, the first
/// operand is the values, the others name the places; all are read at distinct
/// plain labels.
struct Scatter {
  struct Place {
    /// The dimension of the result.
    unsigned dim;
    /// Whether all of its places are known to lie inside.
    bool isInside;
  };
  /// One per operand but the first.
  llvm::SmallVector<Place, 2> places;
  /// Of a mean: of how many each of the values is the sum.
  int64_t valueCount = 1;
  /// The points as the statement calls them.
  llvm::SmallVector<std::string, 2> points;
};

/// The values along a label in order. Of the vertex that it is, the operand is
/// the tensor, read by the labels in order.
struct Sort {
  /// Position in Vertex::labels.
  unsigned label;
  /// How many ranks there are.
  int64_t count;
  bool descending;
  /// Whether the result is where the values stand.
  bool givesIndices;
};

/// The use of a block that an object file brings. Of the vertex that it is, the
/// operands are the tensors that it reads, without subscripts.
struct Block {
  struct Tensor {
    std::string name;
    ElementType type = ElementType::F32;
    /// A dimension of size 0 is whole.
    Projection projection;
    Monoid monoid = Monoid::None;
    /// Of Monoid::Custom.
    std::optional<CustomMonoid> custom;
    std::optional<Constant> pad;
  };
  struct Param {
    std::string name;
    ElementType type;
    Constant value;
  };
  struct Cost {
    std::string label, resource;
    int64_t amount;
  };
  std::string name;
  /// As they are declared.
  llvm::SmallVector<std::string, 4> labels;
  std::vector<Tensor> inputs, outputs;
  std::vector<Param> params;
  bool isIdempotent = false;
  std::vector<Cost> costs;
  /// The declaration.
  llvm::SMLoc loc;
};

struct VertexLabel {
  std::string name;
  int64_t extent;
  /// With a macro.
  LabelRole role = LabelRole::Outer;
};

/// The expression, reduced or not, scanned, a macro of the language applied to
/// it, or a gather, scatter or sort, which have no nodes.
struct Vertex : Expression {
  /// Left-side labels in their order, then the reduced ones or, of a gather,
  /// one per index tensor, whose points that names. Places on the left side
  /// have a label each.
  llvm::SmallVector<VertexLabel, 4> labels;
  unsigned numParallel = 0;
  Monoid monoid = Monoid::None;
  /// Of Monoid::Custom.
  std::optional<CustomMonoid> custom;
  std::optional<MacroKind> macro;
  /// Of a macro's operand; its result may be wider.
  ElementType macroType = ElementType::F32;
  std::optional<Gather> gather;
  std::optional<Scatter> scatter;
  /// The label, a position in `labels`, along which every value is combined
  /// with those before it by the monoid, which then reduces nothing.
  std::optional<unsigned> scanned;
  std::optional<Sort> sort;
  std::optional<Block> block;
  /// The second argument of a norm.
  Expression epsilon;
  /// Whether what reads it reads what it makes, were it a view alone.
  bool isMade = false;
  /// The elements of a constant tensor, which has no expression.
  std::vector<Constant> literal;
  /// Of an index that is computed, how the program has it.
  std::string text;
  /// The points that it follows: positions in Graph::points.
  llvm::SmallVector<unsigned, 1> after;
  /// The statement.
  llvm::SMLoc loc;
  /// The uses of macros that led here, innermost first.
  llvm::SmallVector<llvm::SMLoc, 1> calls;

  /// Whether the elements are indices of a label that is not longer.
  bool givesIndicesBelow(int64_t extent) const {
    return sort && sort->givesIndices && labels[sort->label].extent <= extent;
  }
};

struct Tensor {
  std::string name;
  ElementType type;
  llvm::SmallVector<int64_t, 4> shape;
  /// Where the program names it: for a macro's result, the use of the macro.
  llvm::SMLoc loc;
  /// Position in Graph::vertices of the producer; nothing for an input and for
  /// what a loop carries.
  std::optional<unsigned> vertex;
  /// Which of the producer's results it is.
  unsigned result = 0;
  /// Whether it is what a loop carries, in its body or behind it.
  bool isCarried = false;
  /// Of the counter of a loop, in its body: how many passes there are at most.
  std::optional<int64_t> passes;
  /// What is asked of the producer's cut, by the names of its labels (of an
  /// input: the numbers of its dimensions), and the layout group.
  ShardingConstraints constraints;
  /// Of an input: the file that it is read from where a run names none; empty:
  /// there is none.
  std::string file;
  /// Of an input: the device that is given it.
  std::optional<int64_t> device;
  /// Of an input: the point that it follows.
  std::optional<unsigned> after;
};

/// A part of the graph that is run several times. Of what it carries there are
/// the first value, its name in the body, what a pass makes of it, and the
/// result: positions in Graph::tensors.
struct Loop {
  struct Carried {
    unsigned init = 0;
    unsigned argument = 0;
    unsigned next = 0;
    unsigned result = 0;
  };
  /// What every pass makes a row of, and the tensor of these rows, zero where a
  /// pass was not run: positions in Graph::tensors.
  struct Collected {
    std::string name;
    unsigned row = 0;
    unsigned result = 0;
    ShardingConstraints constraints;
    llvm::SMLoc loc;
  };
  std::string name;
  int64_t passes = 1;
  /// The counter last.
  llvm::SmallVector<Carried, 2> carried;
  std::vector<Collected> collected;
  /// The bool that ends it.
  std::optional<unsigned> stop;
  /// The tensors of the body: arguments, then what is computed.
  unsigned begin = 0, end = 0;
  llvm::SMLoc loc;
  /// As a vertex' calls.
  llvm::SmallVector<llvm::SMLoc, 1> calls;
};

struct Graph {
  /// Inputs, results of vertices and what loops carry, in the order of their
  /// definition.
  std::vector<Tensor> tensors;
  std::vector<Vertex> vertices;
  /// In the order of their bodies; a loop comes before those inside of it.
  std::vector<Loop> loops;
  /// What happens after tensors, outputs (positions in `outputs`) and earlier
  /// points.
  struct Point {
    std::string name;
    llvm::SmallVector<unsigned> tensors, points, outputs;
    /// It stands before the tensor of that number.
    unsigned position = 0;
    /// The loops that it stands in, by their counters.
    llvm::SmallVector<unsigned, 2> counters;
    llvm::SMLoc loc;
    llvm::SmallVector<llvm::SMLoc, 1> calls;
  };
  std::vector<Point> points;
  struct Output {
    unsigned tensor;
    llvm::SMLoc loc;
    /// What is asked of the layout in which the tensor is left, by the numbers
    /// of its dimensions.
    std::vector<ShardingConstraint> constraints;
    /// The file that it is written to where a run names none; empty: none.
    std::string file = {};
    /// The device that hands it out.
    std::optional<int64_t> device = {};
    /// The point that it follows.
    std::optional<unsigned> after = {};
  };
  std::vector<Output> outputs;
};

/// "f32[4, 8]"; "f32[]" for a scalar.
std::string typeToString(ElementType type, llvm::ArrayRef<int64_t> shape);

} // namespace tapestry::ein

#endif // TAPESTRY_IMPORT_EIN_GRAPH_H

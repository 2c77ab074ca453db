//===- PieceGroup.h - Pieces as blocks of one operator ----------*- C++ -*-===//
//
// Operators that make the pieces of a tensor: which points of one operator each
// of them would be, and what that one reads.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PIECEGROUP_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PIECEGROUP_H

#include "FreshNames.h"
#include "GraphViews.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tapestry::teg {

using Cell = llvm::SmallVector<int64_t>;

/// A tensor, and where its first cell lies in another.
struct Placed {
  mlir::Value tensor;
  Cell origin;
};

/// Tensors that make another of this shape.
struct Join {
  std::vector<Placed> tensors;
  Cell shape;
};

/// Where a tensor's first cell would lie in a view, of which a piece is as it
/// lies in the tensor.
std::optional<Cell> originOf(const ViewPiece &piece);

/// What a tensor is called in messages.
std::string nameOfTensor(mlir::Value tensor);

/// Takes operators of a block for blocks of one, group by group.
class PieceGroups {
public:
  PieceGroups(mlir::Block &block, FreshNames &names);

  /// Makes shards of the operators of some tensors, which make another; those
  /// of a sum are partial values of it. False, with the reason, where they are
  /// blocks of no one operator; without one where there is no such kind.
  bool make(const Join &join, const std::vector<Placed> &tensors, bool isSum,
            unsigned number, std::string &reason);
  /// What the operators of the last group read of several tensors, made by
  /// operators that are not known.
  std::vector<Join> takeRead() { return std::move(read); }

  /// Whether an operator has been made part of a group, or combines those of
  /// one.
  bool isKnown(mlir::Operation *op) const {
    return known.contains(op) || combining.contains(op);
  }
  void addCombining(llvm::ArrayRef<mlir::Operation *> ops) {
    combining.insert(ops.begin(), ops.end());
  }
  /// Puts the shards in place; returns how many there are.
  int64_t replace();

  GraphViews views;

private:
  /// An operator that may be a block of one, with others.
  struct Member {
    BlockOpInterface op;
    ZBox range;
    /// Per operand the first cell in what the whole reads.
    llvm::SmallVector<Cell> origins = {};
  };
  /// An operand of all members.
  struct OperandOfAll {
    Cell shape;
    /// What it is called; empty where it is put together here.
    std::string name;
    /// Per member where its operand lies in the tensor.
    std::vector<Cell> origins;
    /// What it is put together of.
    Join join;
  };

  void orderOperands(BlockOpInterface op, BlockOpInterface first);
  bool tryMake(const Join &join, const std::vector<Placed> &tensors, bool isSum,
               unsigned number, std::string &reason);
  bool placeMembers(const Join &join, const std::vector<Placed> &tensors,
                    std::string &reason);
  bool placeMember(const Join &join, const Placed &placed, std::string &reason);
  std::optional<OperandOfAll> commonSlices(unsigned operand);
  std::optional<OperandOfAll> knownOperand(unsigned operand);
  std::optional<OperandOfAll> commonOperand(unsigned operand);
  void cutReduced(llvm::ArrayRef<std::optional<OperandOfAll>> operands);
  void cutLabel(unsigned operand, unsigned dim, const AffineTerm &term,
                llvm::ArrayRef<Cell> origins);
  bool checkCommon(unsigned operand, OperandOfAll &all, std::string &reason);
  bool joinOperand(unsigned operand, OperandOfAll &all, std::string &reason);
  bool placeRead(unsigned operand, llvm::MapVector<mlir::Value, Cell> &origins,
                 std::vector<Cell> &own, std::string &reason);
  bool mayJoin(llvm::ArrayRef<OperandOfAll> operands, std::string &reason);
  bool createShards(llvm::ArrayRef<OperandOfAll> operands,
                    mlir::Type elementType, unsigned result, unsigned number,
                    std::string &reason);

  void replaceJoins();

  mlir::Block &block;
  FreshNames &names;
  /// Einsums that put tensors together and compute nothing.
  llvm::SmallVector<EinsumOp> joins;
  /// The group that is made, and the extents of its labels.
  std::vector<Member> members;
  Cell extents;
  std::vector<Join> read;
  /// What has its operands in another order than it had.
  std::vector<std::pair<EinsumOp, llvm::SmallVector<unsigned>>> reordered;
  /// What has been made: the shards that take its place, and the numbers of
  /// their groups.
  struct Known {
    ShardOp shard;
    unsigned group = 0;
  };
  llvm::MapVector<mlir::Operation *, Known> known;
  unsigned numGroups = 0;
  llvm::SmallPtrSet<mlir::Operation *, 8> combining;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PIECEGROUP_H

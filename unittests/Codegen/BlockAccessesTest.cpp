//===- BlockAccessesTest.cpp - Lookups against walks over the block -------===//

#include "tapestry/Codegen/Common/BlockAccesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace tapestry;

namespace {

class BlockAccessesTest : public ::testing::Test {
protected:
  BlockAccessesTest() {
    context
        .loadDialect<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                     linalg::LinalgDialect, memref::MemRefDialect>();
  }

  /// Copies between buffers of every origin, and now and then a call that may
  /// touch any of them.
  std::string randomProgram() {
    std::string text = R"(
      #id = affine_map<(d0) -> (d0)>
      memref.global @g : memref<8xf32>
      memref.global @h : memref<8xf32>
      func.func private @any()
      func.func @f(%b0: memref<8xf32> {llvm.noalias},
                   %b1: memref<8xf32> {llvm.noalias}, %b2: memref<8xf32>,
                   %b3: memref<8xf32>, %c: i1) {
        %b4 = memref.get_global @g : memref<8xf32>
        %b5 = memref.get_global @h : memref<8xf32>
        %b6 = memref.alloc() : memref<8xf32>
        %b7 = memref.alloc() : memref<8xf32>
        %b8 = memref.alloc() : memref<8xf32>
        %b9 = memref.subview %b6[0] [8] [1] : memref<8xf32> to memref<8xf32>
        %b10 = arith.select %c, %b0, %b7 : memref<8xf32>
    )";
    for (int step = 0; step < 30; ++step) {
      if (random() % 15 == 0)
        text += "func.call @any() : () -> ()\n";
      text += "linalg.generic {indexing_maps = [#id, #id], iterator_types = "
              "[\"parallel\"]} ins(%b" +
              std::to_string(buffer()) + " : memref<8xf32>) outs(%b" +
              std::to_string(buffer()) +
              " : memref<8xf32>) {\n^bb0(%x: f32, %y: f32):\n"
              "linalg.yield %x : f32\n}\n";
    }
    return text + "memref.dealloc %b6 : memref<8xf32>\nreturn\n}\n";
  }

  /// The one of unknown origin is rare: everything may be it.
  unsigned buffer() { return random() % 40 == 0 ? 10 : random() % 10; }

  std::vector<linalg::GenericOp> generics(Block &block) {
    auto range = block.getOps<linalg::GenericOp>();
    return {range.begin(), range.end()};
  }

  void compare(const BlockAccesses &accesses, Block &block);

  MLIRContext context;
  std::mt19937 random{23};
};

void BlockAccessesTest::compare(const BlockAccesses &accesses, Block &block) {
  for (linalg::GenericOp op : generics(block)) {
    Value input = op.getDpsInputs()[0], result = op.getDpsInits()[0];
    Operation *first = op->getNextNode();
    while (isLocalFree(first) || !touches(first, result))
      first = first->getNextNode();
    EXPECT_EQ(accesses.firstTouchAfter(op, result), first);
    bool conflicts = false, changes = false, touched = touches(op, result);
    for (Operation *at = op->getNextNode(); at; at = at->getNextNode()) {
      if (isa<linalg::GenericOp>(at)) {
        EXPECT_EQ(accesses.canSink(op, at), !conflicts);
        EXPECT_EQ(accesses.mayChangeInputs(op, at), changes);
        EXPECT_EQ(accesses.isTouched(op, at, result), touched);
      }
      if (isLocalFree(at))
        continue;
      conflicts |= conflict(op, at);
      touched |= touches(at, result);
      auto all = touchesOf(at);
      changes |= !all || llvm::any_of(*all, [&](const Touch &touch) {
        return touch.writes && mayAlias(touch.buffer, input);
      });
    }
  }
}

TEST_F(BlockAccessesTest, LookupsAreWalks) {
  for (int round = 0; round < 20; ++round) {
    auto module = parseSourceString<ModuleOp>(randomProgram(), &context);
    ASSERT_TRUE(module);
    Block &block = module->lookupSymbol<func::FuncOp>("f").front();
    BlockAccesses accesses(block);
    compare(accesses, block);

    // Operations that go, change places with others or work elsewhere.
    for (linalg::GenericOp op : generics(block)) {
      if (random() % 3 == 0) {
        accesses.erase(op);
        op->erase();
      } else if (random() % 3 == 0) {
        OpBuilder b(op);
        auto other = cast<linalg::GenericOp>(b.clone(*op));
        other->setOperand(0, block.getArgument(random() % 4));
        accesses.replace(op, other);
        op->erase();
      }
    }
    compare(accesses, block);
    auto allocs = llvm::to_vector(block.getOps<memref::AllocOp>());
    accesses.replace(allocs[1].getMemref(), block.getArgument(0));
    allocs[1].getMemref().replaceAllUsesWith(block.getArgument(0));
    compare(accesses, block);
  }
}

} // namespace

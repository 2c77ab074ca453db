//===- RuntimeProgram.h - A device program on its way to calls --*- C++ -*-===//
//
// Private to this folder: CommToRuntime.cpp lowers the program and its
// collectives, LoopsToRuntime.cpp its loops, SortsToRuntime.cpp its sorts,
// BlocksToRuntime.cpp its calls of functions from outside,
// ConstantsToRuntime.cpp its constants.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_RUNTIMEPROGRAM_H
#define TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_RUNTIMEPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "tapestry/Dialect/Comm/IR/CommLoop.h"
#include "tapestry/Dialect/Comm/IR/CommPoint.h"
#include "tapestry/Dialect/Index/IR/IndexBlock.h"
#include "tapestry/Dialect/Index/IR/IndexConstant.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Dialect/Index/IR/IndexSort.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

namespace tapestry {

mlir::MemRefType memrefOf(mlir::Type tensor);
/// Takes a token from those that await it.
void dropToken(mlir::Value token);

/// Lowers one device program. Names of what it makes end in the program's.
class RuntimeProgram {
public:
  RuntimeProgram(mlir::ModuleOp module, mlir::func::FuncOp program)
      : module(module), program(program), b(module.getContext()),
        loc(program.getLoc()), name(program.getSymName()),
        pointer(mlir::LLVM::LLVMPointerType::get(module.getContext())) {}

  /// What the runtime must know of it.
  mlir::FailureOr<mlir::DictionaryAttr> lower();

private:
  mlir::func::FuncOp declare(llvm::StringRef name, mlir::TypeRange inputs,
                             mlir::TypeRange results);
  mlir::func::CallOp call(mlir::Location loc, mlir::func::FuncOp callee,
                          mlir::ValueRange operands);
  mlir::LogicalResult verifyDeviceProgram();
  mlir::LogicalResult verifyBorder(mlir::func::FuncOp function,
                                   mlir::Operation *op);
  mlir::LogicalResult verifyBlock(mlir::func::FuncOp function);
  /// `inPlace`: the inputs whose memory the result of the same number takes
  /// over, in the body of a loop.
  void lowerSignature(bool isBody, const llvm::BitVector &inPlace = {});
  void lowerOps();
  void lowerLoop(comm::LoopOp op);
  llvm::BitVector lowerBody(mlir::func::FuncOp body);
  void emitPasses(comm::LoopOp op, llvm::ArrayRef<mlir::Value> starts,
                  llvm::ArrayRef<mlir::Value> first,
                  llvm::ArrayRef<mlir::Value> second,
                  mlir::ValueRange invariants);
  mlir::Value bufferFor(mlir::Value result, index::LayoutAttr layout);
  void lowerCollective(comm::CollectiveOpInterface op);
  void lowerRequire(index::RequireOp op);
  void lowerSlice(comm::SliceOp op);
  // SortsToRuntime.cpp.
  void lowerSort(index::SortOp op);
  mlir::func::FuncOp sortCall(index::SortOp op, mlir::TypeRange arguments);
  mlir::Value bufferFor(index::SortOp op);
  // BlocksToRuntime.cpp.
  void lowerBlockCall(index::CallBlockOp op);
  mlir::func::FuncOp blockCall(index::CallBlockOp op,
                               mlir::TypeRange arguments);
  mlir::SmallVector<mlir::Value> buffersFor(index::CallBlockOp op);
  // PointsToRuntime.cpp.
  void lowerPoint(comm::PointOp op);
  void lowerAwaits();
  void lowerHandOut(comm::HandOutOp op);
  void lowerTakeIn(comm::TakeInOp op);
  void callWithBuffer(mlir::Location loc, llvm::StringRef what, int64_t number,
                      mlir::Value buffer);
  mlir::func::FuncOp callOn(llvm::StringRef what, mlir::MemRefType buffer);
  // ConstantsToRuntime.cpp.
  void lowerConstant(index::ConstantOp op);
  mlir::memref::GlobalOp globalOf(mlir::DenseElementsAttr value);
  mlir::Value allocatePart(mlir::Location loc, mlir::RankedTensorType type,
                           index::LayoutAttr layout);
  std::pair<mlir::Value, llvm::SmallVector<mlir::Value>>
  allocateParts(mlir::Location loc, mlir::TypeRange types,
                llvm::ArrayRef<index::LayoutAttr> layouts);
  mlir::func::FuncOp runtimeCall(llvm::StringRef runtime, llvm::StringRef name,
                                 mlir::MemRefType first,
                                 mlir::MemRefType second);
  mlir::FlatSymbolRefAttr emitCombine(comm::CollectiveOpInterface op,
                                      mlir::Type element);
  mlir::func::FuncOp emitEntry(unsigned numInputs);
  void storeResults();
  mlir::DictionaryAttr describeTensor(mlir::DictionaryAttr attrs);

  mlir::ModuleOp module;
  /// The program or the body of a loop that is being lowered, what runs it, and
  /// buffers that the caller provides for its results.
  mlir::func::FuncOp program;
  mlir::Value rank;
  mlir::Value device;
  llvm::SmallVector<mlir::Value> resultBuffers;
  mlir::OpBuilder b;
  mlir::Location loc;
  std::string name;
  mlir::Type pointer;
  /// Of the bodies that have been lowered, what is carried in place.
  llvm::DenseMap<mlir::Operation *, llvm::BitVector> loweredBodies;
  llvm::SmallVector<mlir::Attribute> inputs, outputs, collectives, requirements;
  llvm::SmallVector<index::LayoutAttr> layouts;
  /// What calls the runtime for a collective, by the buffers that it takes, and
  /// for a requirement.
  llvm::DenseMap<std::pair<mlir::Type, mlir::Type>, mlir::func::FuncOp>
      collectiveCalls;
  mlir::func::FuncOp requireCall;
  /// What calls the runtime to hand a result out or take an argument in, by the
  /// buffer and what it does.
  llvm::MapVector<std::pair<mlir::Type, llvm::StringRef>, mlir::func::FuncOp>
      borderCalls;
  /// Equal ones are one.
  llvm::DenseMap<mlir::Attribute, mlir::memref::GlobalOp> constants;
  unsigned numSorts = 0, numBlockCalls = 0;
  /// The distinct ⊕ of the collectives.
  llvm::SmallVector<mlir::func::FuncOp> combines;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_RUNTIMEPROGRAM_H

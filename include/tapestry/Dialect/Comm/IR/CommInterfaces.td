//===- CommInterfaces.td - What all collectives answer -----*- tablegen -*-===//
//
// The one interface through which lowerings, statistics and exports see
// collectives; none of them needs to know which operation it is.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_COMM_COMMINTERFACES_TD
#define TAPESTRY_DIALECT_COMM_COMMINTERFACES_TD

include "mlir/IR/OpBase.td"

def Comm_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::tapestry::comm";
  let description = [{
    An operation that all devices of a grid enter to turn the parts of one layout
    into the parts of another.

    Constraints:
    - `collective_c1`: `from` and `to` lie on the same grid.
    - `collective_c2`: `from` and `to` lay out tensors of the same shape.
    - `collective_c3`: `to` has no partial axes.
    - `collective_c4`: `from` is plain and no axis cuts it twice, but that labels may
      leave it to the devices of one of their values: its parts do not overlap and
      leave no gap.
    - `collective_c5`: the source's type is the type of a part of `from`.
    - `collective_c6`: there is one part per layout that is received
      (`getReceived`), whose type is that of a part of it, of the source's element
      type.
    - `collective_c7`: the resharding from `from` to `to` is of the operation's
      kind (`planResharding`).
    - `collective_c8`: `axes` names the grid axes whose devices talk to each
      other, in the order of the grid.
  }];

  let methods = [
    InterfaceMethod<"The layout of what the devices hold before.",
      "::tapestry::index::LayoutAttr", "getFrom">,
    InterfaceMethod<"The layout of what the devices hold afterwards.",
      "::tapestry::index::LayoutAttr", "getTo">,
    InterfaceMethod<[{
        The layouts of the parts that are got: `to`, or parts of it.
      }],
      "::llvm::SmallVector<::tapestry::index::LayoutAttr>", "getReceived",
      (ins), [{}], /*defaultImplementation=*/[{ return {$_op.getTo()}; }]>,
    InterfaceMethod<"The name of the vertex whose tensor moves.",
      "::llvm::StringRef", "getVertex">,
    InterfaceMethod<"The names of the axes of a group.",
      "::mlir::ArrayAttr", "getAxes">,
    InterfaceMethod<"The device's part before.",
      "::mlir::TypedValue<::mlir::RankedTensorType>", "getSource">,
    InterfaceMethod<"What the device gets; the token is the last result.",
      "::mlir::ResultRange", "getParts", (ins), [{}],
      /*defaultImplementation=*/[{ return $_op->getResults().drop_back(); }]>,
    InterfaceMethod<"The tokens that the operation waits for.",
      "::mlir::OperandRange", "getAfter">,
    InterfaceMethod<"The token of the operation's completion.",
      "::mlir::TypedValue<::tapestry::comm::TokenType>", "getToken">,
    InterfaceMethod<"The kind that planner and runtime know.",
      "::tapestry::CollectiveKind", "getKind">,
    InterfaceMethod<"The monoid of a reduction, else nothing.",
      "::std::optional<::tapestry::Monoid>", "getReduction", (ins), [{}],
      /*defaultImplementation=*/[{ return ::std::nullopt; }]>,
    InterfaceMethod<[{
        The combination of two values where the monoid is `custom`, else null:
        one block with two arguments and a `comm.yield`.
      }],
      "::mlir::Region *", "getCombineRegion", (ins), [{}],
      /*defaultImplementation=*/[{ return nullptr; }]>,
    InterfaceMethod<[{
        What moves, derived from the layouts. Takes time linear in the number of
        devices; keep the result where several of its figures are needed.
      }],
      "::tapestry::Collective", "getPlan", (ins), [{}],
      /*defaultImplementation=*/[{
        return ::tapestry::comm::detail::planOf($_op.getFrom(), $_op.getTo());
      }]>,
    InterfaceMethod<"The number of devices in a group.",
      "int64_t", "getGroupSize", (ins), [{}],
      /*defaultImplementation=*/[{ return $_op.getPlan().groupSize; }]>,
    InterfaceMethod<[{
        The bytes that a device sends, summed over all devices: the elements of
        the plan times the size of a stored element (one byte for i1).
      }],
      "int64_t", "getPredictedBytes", (ins), [{}],
      /*defaultImplementation=*/[{
        return $_op.getPlan().elements *
               ::tapestry::storedSize(
                   $_op.getSource().getType().getElementType());
      }]>
  ];
  let verify = [{
    return ::tapestry::comm::detail::verifyCollective(
        ::mlir::cast<::tapestry::comm::CollectiveOpInterface>($_op));
  }];
}

#endif // TAPESTRY_DIALECT_COMM_COMMINTERFACES_TD

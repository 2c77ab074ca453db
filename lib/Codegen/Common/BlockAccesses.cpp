//===- BlockAccesses.cpp - Who touches a buffer, by buffer ----------------===//

#include "tapestry/Codegen/Common/BlockAccesses.h"

using namespace mlir;
using namespace tapestry;

static void insert(std::vector<unsigned> &slots, unsigned slot) {
  auto at = llvm::lower_bound(slots, slot);
  if (at == slots.end() || *at != slot)
    slots.insert(at, slot);
}

BlockAccesses::BlockAccesses(Block &block) {
  for (Operation &op : block) {
    if (isLocalFree(&op))
      continue;
    slots[&op] = ops.size();
    ops.push_back(&op);
    add(&op, ops.size() - 1);
  }
}

/// Where the users of `root` are found.
Value BlockAccesses::keyOf(Value root) {
  return isDistinct(root) ? root : Value();
}

void BlockAccesses::add(Operation *op, unsigned slot) {
  auto touches = touchesOf(op);
  if (!touches)
    return insert(unknown, slot);
  for (const Touch &touch : *touches) {
    if (isOfUnknownOrigin(touch.buffer)) {
      insert(unknown, slot);
      continue;
    }
    Users &found = users[keyOf(touch.buffer)];
    insert(found.all, slot);
    if (touch.writes)
      insert(found.writers, slot);
  }
}

Operation *BlockAccesses::firstOf(const Slots &slots, unsigned from,
                                  unsigned end, Condition holds) const {
  for (auto at = llvm::lower_bound(slots, from); at != slots.end() && *at < end;
       ++at)
    if (ops[*at] && holds(ops[*at]))
      return ops[*at];
  return nullptr;
}

/// The first operation in [from, end) for which `holds`, which only those do
/// that may touch `buffer`, or write it.
Operation *BlockAccesses::find(Value buffer, bool onlyWriters, unsigned from,
                               unsigned end, Condition holds) const {
  Value root = rootOf(buffer);
  if (isOfUnknownOrigin(root)) {
    for (unsigned slot = from; slot < std::min<size_t>(end, ops.size()); ++slot)
      if (ops[slot] && holds(ops[slot]))
        return ops[slot];
    return nullptr;
  }
  Operation *first = firstOf(unknown, from, end, holds);
  auto known = users.find(keyOf(root));
  if (known == users.end())
    return first;
  if (first)
    end = slotOf(first);
  Operation *other =
      firstOf(onlyWriters ? known->second.writers : known->second.all, from,
              end, holds);
  return other ? other : first;
}

Operation *BlockAccesses::firstTouchAfter(Operation *op, Value buffer) const {
  return find(buffer, /*onlyWriters=*/false, slotOf(op) + 1, ops.size(),
              [&](Operation *at) { return touches(at, buffer); });
}

bool BlockAccesses::isTouched(Operation *first, Operation *end,
                              Value buffer) const {
  return find(buffer, /*onlyWriters=*/false, slotOf(first), slotOf(end),
              [&](Operation *at) { return touches(at, buffer); });
}

bool BlockAccesses::mayChangeInputs(linalg::LinalgOp op,
                                    Operation *target) const {
  return llvm::any_of(op.getDpsInputs(), [&](Value input) {
    if (!isa<BaseMemRefType>(input.getType()))
      return false;
    auto changes = [&](Operation *at) {
      auto all = touchesOf(at);
      return !all || llvm::any_of(*all, [&](const Touch &touch) {
        return touch.writes && mayAlias(touch.buffer, input);
      });
    };
    return find(input, /*onlyWriters=*/true, slotOf(op) + 1, slotOf(target),
                changes) != nullptr;
  });
}

bool BlockAccesses::canSink(Operation *op, Operation *target) const {
  auto touches = touchesOf(op);
  if (!touches)
    return false;
  return llvm::none_of(*touches, [&](const Touch &touch) {
    return find(touch.buffer, /*onlyWriters=*/!touch.writes, slotOf(op) + 1,
                slotOf(target),
                [&](Operation *at) { return conflict(op, at); });
  });
}

void BlockAccesses::replace(Operation *old, Operation *made) {
  unsigned slot = slotOf(old);
  erase(old);
  slots[made] = slot;
  ops[slot] = made;
  add(made, slot);
}

void BlockAccesses::erase(Operation *op) {
  ops[slotOf(op)] = nullptr;
  slots.erase(op);
}

void BlockAccesses::replace(Value old, Value made) {
  auto known = users.find(keyOf(rootOf(old)));
  if (known == users.end())
    return;
  Users moved = known->second;
  auto join = [](Slots &into, const Slots &from) {
    Slots joined;
    std::set_union(into.begin(), into.end(), from.begin(), from.end(),
                   std::back_inserter(joined));
    into = std::move(joined);
  };
  if (isOfUnknownOrigin(rootOf(made)))
    return join(unknown, moved.all);
  Users &found = users[keyOf(rootOf(made))];
  join(found.all, moved.all);
  join(found.writers, moved.writers);
}

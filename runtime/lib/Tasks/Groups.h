//===- Groups.h - Shards that belong together -------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_TASKS_GROUPS_H
#define TAPESTRY_RT_TASKS_GROUPS_H

#include "Tasks/Graph.h"

namespace tapestry {
namespace rt {

/// Orders shards group by group. A group is a tree of shards each of which has
/// one reader, the next: partial products and their sums, say, which nobody but
/// the end of the tree is made for. Its chunks are gone as soon as can be, and
/// the groups are ordered by locality. Empty where no group has two shards.
std::vector<int32_t> orderByGroups(const TaskGraph &graph, int64_t cacheBytes);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TASKS_GROUPS_H

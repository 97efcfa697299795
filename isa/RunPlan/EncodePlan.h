// Run plans as bytes, in the form of RunPlan.proto.
#pragma once

#include "isa/RunPlan/RunPlan.h"

namespace tilerig {

// The bytes of a plan of this program; empty if the program has no stages, or if the plan is larger than 2 GiB.
std::vector<std::byte> encodePlan(const RunPlan &plan, const Program &program);
// Refuses bytes that are not a plan of this program: a task without an instruction of the program, an order with a cycle,
// or an operand that would be read outside of a memory.
Result<RunPlan> decodePlan(std::span<const std::byte> bytes, const Program &program);

} // namespace tilerig

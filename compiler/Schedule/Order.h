// In which order the tasks of a stage are handed to the engines, and when they are going to run.
//
// The tasks are played through on the machine: POD and PE one by one, DMA engines in their two phases, DDR,
// its ports and the links shared, dependencies at the price of a semaphore. That gives every task a time. A
// tile's list may stay as it is, or be sorted by the time at which its tasks begin; then the sequencer, which
// walks it in order and stops at a full queue, never keeps from an engine what that engine could have begun:
// what stands behind a task begins no earlier than it. And engines may take their tasks as they are listed,
// or by list scheduling: whenever one is free, of those that could begin the one with the most work behind it
// (the longest chain of dependent tasks to the end).
//
// Markers and delays have no bytes, so nothing would hold them: where the list is sorted they go with the
// next task of their engine (of their tile, if they are the sequencer's), the end of a layer with the one
// before.
//
// The machine shares DDR evenly among all who ask: what is needed last gets as much as what is needed first.
// So reads of DDR may be let through a few at a time, those with the most behind them first; each then has to
// wait for the one that stood as many places before it. Of what is written patiently only so many bytes may
// be on their way, so that reads have most of DDR.
#pragma once

#include "compiler/Schedule/Dependencies.h"
#include "isa/Machine/Machine.h"
#include "isa/Support/Error.h"

namespace tilerig {

enum class OrderMode : uint8_t {
  listed,      // lists stay as they are
  interleaved, // sorted by time; every engine takes its tasks as they are listed
  reordered,   // sorted by time; engines take first what has most behind it
};

// How transfers that are under way at one time share DDR, its ports and the links while tasks are played.
enum class TransferSharing : uint8_t {
  byTurns,   // chunk by chunk, as the machine does
  firstCome, // as whole transfers, in the order in which they begin
};

struct OrderOptions {
  OrderMode mode = OrderMode::listed; // README.md says why
  TransferSharing sharing = TransferSharing::firstCome;
  uint32_t ddrReads = 0;      // that may be on their way at a time; 0: any number
  uint64_t ddrWriteBytes = 0; // likewise, of patient writes, which come in all sizes
};

struct TaskTime {
  uint64_t start = 0, end = 0; // cycles, as estimated
};

struct TaskPair {
  uint32_t before = 0, after = 0;
};

struct TaskOrder {
  std::vector<uint32_t> sequence; // all tasks, each behind all that it depends on
  std::vector<TaskTime> times;    // by task
  uint64_t cycles = 0;            // when the last one ends; Schedule.h has those of the finished stage
  std::vector<TaskPair> turns;    // transfers with DDR, and which each lets through when it has ended
};

// The same for the same tasks, on every host. A list that stays as it is has no turns.
TaskOrder orderTasks(const TaskList &tasks, const Dependencies &dependencies, const Machine &machine,
                     const OrderOptions &options = {});

// Every task stands in the sequence once, behind all that it depends on.
Status verifyOrder(const Dependencies &dependencies, std::span<const uint32_t> sequence);

} // namespace tilerig

// A compiled program in memory: what the compiler produces and the machine executes.
//
// It consists of stages in order (a device stage has the instructions of every tile), constants in DDR, and
// metadata that describes both. Compiler, assembler, analyser and emulator share this form. Reader.h and
// Writer.h define the file form, Verify.h the rules that every program obeys. The metadata message holds
// everything except instructions and the bytes of constants. Its fields that belong to the file form (stages,
// constants, machine, tiles, proof) are empty here; the writer fills them from this struct.
#pragma once

#include "isa/Instructions/Instruction.h"
#include "isa/Machine/Machine.h"
#include "isa/Program/Metadata.pb.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tilerig {

// When a stage runs: once before the first inference, in every inference, or once after the last.
enum class Phase : uint8_t { initial, inference, finishing };

// Instructions of each tile; tiles.size() is the number of tiles of the program.
struct DeviceStage {
  std::vector<std::vector<Instruction>> tiles;
};

// A stage of a program: instructions for the tiles (device stage), or an operator that the host computes
// (host stage).
struct Stage {
  std::string name;
  Phase phase = Phase::inference;
  std::variant<DeviceStage, proto::HostWork> work;
};

// A read-only block of bytes that the loader of a program puts into DDR. `owner` keeps the bytes alive: a
// mapped file or a buffer, shared by everything that runs the program.
struct ConstantData {
  uint64_t address = 0;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// Version of the analyser's rules. A proof (that every execution computes the same bits) by another version
// is void. Increase this number whenever a change of the analyser, or of the meaning of an instruction,
// changes what is proved.
inline constexpr uint32_t analyserVersion = 1;

// Version of the run plans that isa/RunPlan makes; plans of other versions are not used. Increase this number whenever
// a change of a plan's form, or of how a run uses it, makes older plans wrong.
inline constexpr uint32_t runPlanVersion = 1;

// A run plan (isa/RunPlan) in the form in which it is stored. `owner` keeps the bytes alive.
struct StoredRunPlan {
  uint64_t contentHash = 0; // of the program for which the plan was made
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// A program for one machine: its stages, constants and metadata. Once the analyser has proved that every
// execution computes the same bits, the program also contains the proof.
struct Program {
  Machine machine;
  unsigned tiles = 0;
  std::vector<Stage> stages;           // stages in the order of phases: initial, inference, finishing
  std::vector<ConstantData> constants; // constants by ascending address; they do not overlap
  proto::Metadata metadata;
  // A proof that every execution computes the same bits. It must be made by analyser version analyserVersion,
  // for this machine and this content: the writer refuses any other proof. The reader drops a proof by
  // another version, and refuses one for another machine or content.
  std::optional<proto::Proof> proof;
  // The analyser version of an outdated proof that the reader found in the file and dropped; the program then
  // counts as one without a proof.
  std::optional<uint32_t> outdatedProof;
  // What is known about a run before it begins. The writer leaves out a plan for other contents, so a program may be
  // changed without regard to it; the reader leaves out a plan by another version, and refuses one that was altered.
  std::optional<StoredRunPlan> runPlan;
};

// A stable hash of everything that a proof covers: instructions, constants, tensors, stages.
uint64_t hashContent(const Program &program);

} // namespace tilerig

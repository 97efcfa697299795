// A program: what the compiler hands to the machine.
//
// Stages in order; for a device stage the instructions of every tile; constants that stand in DDR; and
// metadata that explains both. The in-memory form here is the one that compiler, assembler, analyser and
// emulator share; the file form is in Reader.h and Writer.h, and what must hold of every program in Verify.h.
// The metadata message is the single statement of everything but instructions and constant bytes; the fields
// of it that the file form owns (stages, constants, machine, tiles, proof) are filled by the writer from this
// struct and are empty here.
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

enum class Phase : uint8_t { initial, inference, finishing };

// Instructions of each tile; tiles.size() is the number of tiles of the program.
struct DeviceStage {
  std::vector<std::vector<Instruction>> tiles;
};

struct Stage {
  std::string name;
  Phase phase = Phase::inference;
  std::variant<DeviceStage, proto::HostWork> work;
};

// Bytes in DDR from the load on, read-only. `owner` keeps them alive: a mapped file or a buffer, shared by
// whoever runs it.
struct ConstantData {
  uint64_t address = 0;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// The version of the analyser's rules. A proof made under another one says nothing: raise it whenever the
// analyser, or the meaning of an instruction, changes what is proved.
inline constexpr uint32_t analyserVersion = 1;

struct Program {
  Machine machine;
  unsigned tiles = 0;
  std::vector<Stage> stages;           // phases in order: initial, inference, finishing
  std::vector<ConstantData> constants; // by ascending address, disjoint
  proto::Metadata metadata;
  // Of this analyserVersion, this machine and this content: reader and writer refuse any other.
  std::optional<proto::Proof> proof;
  // The analyser version of a proof that the file carried and the reader left out: the program counts as
  // unproved.
  std::optional<uint32_t> outdatedProof;
};

// A stable hash of everything that a proof speaks of: instructions, constants, tensors, stages.
uint64_t hashContent(const Program &program);

} // namespace tilerig

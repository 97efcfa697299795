// What an editor shows as variables: the state of an engine, the semaphores of a tile, and tensors with their elements.
#pragma once

#include "emulator/Debug/Debugger.h"
#include "isa/Base/Support/Json.h"

#include <map>

namespace tilerig::emulator {

class Variables {
public:
  explicit Variables(const Debugger &debugger) : debugger(debugger) {}

  // Forgets all references; to be called when the run has moved.
  void clear();
  // The groups of variables of an engine's instruction, or of a layer if it is given.
  Json scopesOf(ThreadId thread, std::optional<uint32_t> layer);
  // The variables behind a reference, and of those with numbers, `count` from `start` on (0: all).
  Result<Json> variablesOf(int reference, uint64_t start, uint64_t count);
  // The name of the tensor behind a reference, or of one of the tensors that it contains; empty if there is none.
  std::string tensorNamed(int reference, const std::string &name) const;

private:
  enum class Kind : uint8_t { engine, semaphores, layerTensors, allTensors, tensor };
  struct Group {
    Kind kind = Kind::engine;
    ThreadId thread = 0;
    uint32_t layer = 0;
    std::string tensor = {};
    std::vector<int64_t> position = {}; // of a part of a tensor: the leading indices
  };

  int add(Group group);
  Json engine(ThreadId thread) const;
  Json semaphores(uint32_t tile) const;
  Json tensors(std::optional<uint32_t> layer);
  Result<Json> elements(const Group &group, uint64_t start, uint64_t count);
  Result<const Tensor *> tensor(const std::string &name);

  const Debugger &debugger;
  std::vector<Group> groups;          // by reference, from 1
  std::map<std::string, Tensor> read; // tensors as they are at this moment
};

} // namespace tilerig::emulator

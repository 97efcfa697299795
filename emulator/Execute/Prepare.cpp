#include "emulator/Execute/Prepare.h"

#include "emulator/Execute/Families.h"

namespace tilerig::emulator {

std::unique_ptr<PreparedOp> prepareOp(const Instruction &instruction, unsigned tile, const Places &places) {
  return std::visit(
      [&]<class T>(const T &typed) -> std::unique_ptr<PreparedOp> {
        if constexpr (ControlInstruction<T>)
          return nullptr;
        else
          return prepareAny(ReferenceTo<T::family>(&typed), tile, places);
      },
      instruction);
}

} // namespace tilerig::emulator

// The condition of a stop point: a comparison of two values, such as `fp16(ocm3:0x40) > 5.5` or `semaphore(3,1) == 2`.
#pragma once

#include "emulator/Debug/Location.h"
#include "isa/Instructions/Types.h"

#include <functional>
#include <variant>

namespace tilerig::emulator {

class Condition {
public:
  static Result<Condition> parse(const std::string &text, const Program &program);

  struct CycleValue {};
  struct SemaphoreValue {
    uint32_t tile = 0, semaphore = 0;
  };
  struct MemoryValue {
    Location location;
    ElementType type = ElementType::i8;
  };
  using Operand = std::variant<double, CycleValue, SemaphoreValue, MemoryValue>;
  // Whether the comparison holds; `valueOf` gives the present value of an operand that is not a constant.
  bool holds(const std::function<double(const Operand &)> &valueOf) const;

private:
  Operand left, right;
  std::string comparison;
};

// The value of an element as it is stored.
double elementValue(const std::byte *at, ElementType type);

} // namespace tilerig::emulator

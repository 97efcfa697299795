// Bugs in how instructions turn sums into stored results: wrong functions, clamping bounds, zero points,
// types and rounding.
#include "compiler/Inject/Program/LayerTasks.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

// The part of an instruction that turns sums into stored results (function, clamping, conversion), if the
// instruction's output is quantised; else null.
Finish *quantisedFinish(Instruction &instruction) {
  const Stream *output = givenStream(instruction);
  return output && isQuantised(output->type) ? finishOf(instruction) : nullptr;
}

bool narrowBound(Instruction &instruction, bool isLow, int64_t percent) {
  Finish *finish = finishOf(instruction);
  if (!finish)
    return false;
  if (isQuantised(givenStream(instruction)->type)) {
    const auto by = static_cast<int16_t>((finish->clampHigh - finish->clampLow) * percent / 100);
    (isLow ? finish->clampLow : finish->clampHigh) += isLow ? by : static_cast<int16_t>(-by);
    return by != 0;
  }
  if (finish->function != UnaryFunction::clip || !std::isfinite(finish->beta - finish->alpha))
    return false;
  const float by = (finish->beta - finish->alpha) * static_cast<float>(percent) / 100;
  (isLow ? finish->alpha : finish->beta) += isLow ? by : -by;
  return by != 0;
}

Status moveBound(const LayerTasks &layer, BugDraw &draw) {
  TILERIG_TRY(const std::string_view bound, draw.word("bound", [](std::string_view) { return true; }));
  TILERIG_TRY(const int64_t percent, draw.number("percent", 5, 90));
  return layer.changeAll(
      [&](Instruction &instruction) { return narrowBound(instruction, bound == "low", percent); },
      "the results of the layer have no clamping bounds to change");
}

// Makes results wrap around at 8 bits instead of saturating: where clamping bounds equal the limits of the
// 8-bit type, replaces them by the limits of 9 bits.
bool wrapResult(Instruction &instruction) {
  Finish *finish = quantisedFinish(instruction);
  const ElementType type = givenStream(instruction) ? givenStream(instruction)->type : ElementType::fp32;
  if (!finish || !isEightBits(type))
    return false;
  const TypeBounds eight = boundsOf(type), nine = boundsOf(ElementType::i9);
  finish->wrap = true;
  if (finish->clampLow == eight.low)
    finish->clampLow = nine.low;
  if (finish->clampHigh == eight.high)
    finish->clampHigh = nine.high;
  return true;
}

Status wrapResults(const LayerTasks &layer, BugDraw &) {
  return layer.changeAll(wrapResult, "the layer has no 8-bit result");
}

Status dropClip(const LayerTasks &layer, BugDraw &) {
  return layer.changeAll(
      [](Instruction &instruction) {
        auto *store = std::get_if<Store>(&instruction);
        return store && std::exchange(store->clip, false);
      },
      "the layer stores no 9-bit results to DDR; results have nine bits only if they are rounded and leave the "
      "OCM: outputs, tensors for the host, and tensors that are too large for the OCM (choose a smaller "
      "--machine); results of a lookup table (sigmoid, tanh) always have 8 bits");
}

bool dropFromFinish(Finish &finish, ElementType output) {
  const Finish before = finish;
  finish.function = UnaryFunction::identity;
  finish.alpha = finish.beta = 0;
  const TypeBounds all = boundsOf(output);
  finish.clampLow = all.low;
  finish.clampHigh = all.high;
  return finish != before;
}

bool dropFunction(Instruction &instruction) {
  if (const auto *lookup = std::get_if<Lookup>(&instruction)) {
    const Copy plain{.layer = lookup->layer, .input = lookup->input, .output = lookup->output};
    instruction = plain;
    return true;
  }
  Finish *finish = finishOf(instruction);
  if (!finish)
    return false;
  bool isDropped = dropFromFinish(*finish, givenStream(instruction)->type);
  if (Epilogue *epilogue = epilogueOf(instruction)) {
    isDropped |= epilogue->table.present;
    epilogue->table = {};
    epilogue->functionFirst = false;
  }
  return isDropped;
}

Status dropFunctions(const LayerTasks &layer, BugDraw &) {
  return layer.changeAll(dropFunction, "the layer has no activation function");
}

// Replaces the result type i8 by u8, or u8 by i8, and keeps the 8 bits of the zero point.
void retype(ElementType &type, int16_t &zeroPoint) {
  if (type == ElementType::i8) {
    type = ElementType::u8;
    zeroPoint = static_cast<int16_t>(zeroPoint & 0xFF);
  } else {
    type = ElementType::i8;
    zeroPoint = static_cast<int8_t>(zeroPoint);
  }
}

Stream *secondInput(Instruction &instruction) {
  if (auto *conv = std::get_if<Conv>(&instruction))
    return &conv->weights;
  return &std::get<Matmul>(instruction).b;
}

Status retypeInputs(const LayerTasks &layer, BugDraw &) {
  return layer.changeAll(
      [](Instruction &instruction) {
        Epilogue *epilogue = epilogueOf(instruction);
        if (!epilogue || !isEightBits(firstInput(instruction)->type))
          return false;
        retype(firstInput(instruction)->type, epilogue->inputZeroPoint);
        return true;
      },
      "the layer does not multiply 8-bit values");
}

Status retypeWeights(const LayerTasks &layer, BugDraw &) {
  return layer.changeAll(
      [](Instruction &instruction) {
        Epilogue *epilogue = epilogueOf(instruction);
        if (!epilogue || !isEightBits(secondInput(instruction)->type))
          return false;
        retype(secondInput(instruction)->type, epilogue->weightZeroPoint);
        return true;
      },
      "the layer does not multiply 8-bit values");
}

int16_t *inputZeroPointOf(Instruction &instruction) {
  if (Epilogue *epilogue = epilogueOf(instruction))
    return isEightBits(firstInput(instruction)->type) ? &epilogue->inputZeroPoint : nullptr;
  auto *binary = std::get_if<Binary>(&instruction);
  return binary && isQuantised(binary->a.type) ? &binary->aAffine.zeroPoint : nullptr;
}
int16_t *outputZeroPointOf(Instruction &instruction) {
  Finish *finish = quantisedFinish(instruction);
  return finish ? &finish->output.zeroPoint : nullptr;
}

template <class Find>
Status moveZeroPoint(const LayerTasks &layer, BugDraw &draw, Find find, const char *otherwise) {
  const auto by = [&](int64_t steps) {
    return [steps, find](Instruction &instruction) {
      int16_t *point = find(instruction);
      if (point)
        *point = static_cast<int16_t>(*point + steps);
      return point != nullptr;
    };
  };
  // The range of numbers that can be added to the zero point. A zero point that is the lowest or highest
  // integer of its type can only move to one side.
  int64_t low = -64, high = 64;
  while (low < 0 && !layer.canChange(by(low)))
    ++low;
  while (high > 0 && !layer.canChange(by(high)))
    --high;
  if (low == 0 && high == 0)
    return hasNot(otherwise);
  TILERIG_TRY(const int64_t steps, draw.nonZero("by", low, high));
  return layer.changeAll(by(steps), otherwise);
}

Status moveInputZero(const LayerTasks &layer, BugDraw &draw) {
  return moveZeroPoint(layer, draw, inputZeroPointOf, "the layer has no quantised inputs");
}
Status moveOutputZero(const LayerTasks &layer, BugDraw &draw) {
  return moveZeroPoint(layer, draw, outputZeroPointOf, "the layer has no quantised result");
}

Status roundOtherwise(const LayerTasks &layer, BugDraw &draw) {
  TILERIG_TRY(const std::string_view word, draw.word("mode", [](std::string_view) { return true; }));
  const auto names = EnumNames<RoundingMode>::values;
  const auto mode = static_cast<RoundingMode>(std::ranges::find(names, word) - names.begin());
  return layer.changeAll(
      [&](Instruction &instruction) {
        Finish *finish = quantisedFinish(instruction);
        if (finish)
          finish->rounding = mode;
        return finish != nullptr;
      },
      "the layer has no quantised result");
}

constexpr TaskBug bugsOfFinish[] = {
    {"clip-bound", moveBound},
    {"clip-missing", dropClip},
    {"wrap", wrapResults},
    {"activation-dropped", dropFunctions},
    {"input-type", retypeInputs},
    {"weights-type", retypeWeights},
    {"input-zero-point", moveInputZero},
    {"output-zero-point", moveOutputZero},
    {"rounding-mode", roundOtherwise},
};

} // namespace

std::span<const TaskBug> finishBugs() { return bugsOfFinish; }

} // namespace tilerig::compiler

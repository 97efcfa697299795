// Checks the rules of DMA instructions, which copy elements between memories.

#include "isa/Instructions/CheckRules.h"
#include "isa/Instructions/CheckValues.h"

namespace tilerig::rules {
namespace {

using namespace types;
using enum spaces::Set;

// The type conversions that DMA supports: source and destination.
constexpr TypeRow conversions[] = {
    {{i8, i8 | i9}, Arithmetic::move},
    {{u8, u8 | i9}, Arithmetic::move},
    {{i9, i9 | i8 | u8}, Arithmetic::move},
    {{i32, i32}, Arithmetic::move},
    {{fp16, fp16 | fp32}, Arithmetic::move},
    {{bf16, bf16 | fp32}, Arithmetic::move},
    {{fp32, fp32 | fp16 | bf16}, Arithmetic::move},
};

template <class T>
constexpr Operand<T> source(spaces::Set spaces) {
  return {.name = "source", .stream = part<&T::source>, .spaces = spaces};
}
template <class T>
constexpr Operand<T> destination(spaces::Set spaces) {
  return {.name = "destination", .stream = part<&T::destination>, .spaces = spaces};
}
template <class T>
constexpr TypeTable<T> transferTypes[] = {{.rows = conversions}};

template <class T>
Status checkClip(const T &transfer, const Setting &) {
  const bool narrows =
      transfer.source.type == ElementType::i9 && transfer.destination.type != ElementType::i9;
  return narrows
             ? success()
             : expectZero(topLevel("clip"), transfer.clip, "the transfer does not convert i9 to i8 or u8");
}
template <class T>
constexpr Rule<T> clipRule = {"`clip` is 0 unless i9 becomes i8 or u8", checkClip<T>};

constexpr Operand<Load> loadOperands[] = {source<Load>(ddr | remote), destination<Load>(ocm)};
constexpr Rule<Load> loadRules[] = {clipRule<Load>};

constexpr Operand<Store> storeOperands[] = {source<Store>(ocm), destination<Store>(ddr | remote | ocm)};
constexpr Rule<Store> storeRules[] = {clipRule<Store>};

constexpr Operand<Multicast> multicastOperands[] = {source<Multicast>(ddr | ocm),
                                                    destination<Multicast>(ocm)};
constexpr Rule<Multicast> multicastRules[] = {
    clipRule<Multicast>,
    {"`tiles` contains only tiles of the program",
     [](const Multicast &multicast, const Setting &setting) { return checkTiles(multicast.tiles, setting); }},
    {"`tiles` is not empty",
     [](const Multicast &multicast, const Setting &) {
       return multicast.tiles ? success()
                              : Status(invalidInput(fieldName(topLevel("tiles")), "is empty",
                                                    "expected at least one tile"));
     }},
};

constexpr Operand<Gather> gatherOperands[] = {
    {.name = "indices",
     .stream = part<&Gather::indices>,
     .sizes = {Extent::one, Extent::one, Extent::one, Extent::one, Extent::N}},
    {.name = "source",
     .stream = part<&Gather::source>,
     .spaces = ddr | ocm,
     .sizes = {Extent::one, Extent::one, Extent::R, Extent::X, Extent::Y}},
    {.name = "destination",
     .stream = part<&Gather::destination>,
     .sizes = {Extent::one, Extent::one, Extent::N, Extent::X, Extent::Y}},
};
constexpr TypeRow gatherRows[] = {
    {{i32, i8, i8}, Arithmetic::move},     {{i32, u8, u8}, Arithmetic::move},
    {{i32, i9, i9}, Arithmetic::move},     {{i32, i32, i32}, Arithmetic::move},
    {{i32, fp16, fp16}, Arithmetic::move}, {{i32, bf16, bf16}, Arithmetic::move},
    {{i32, fp32, fp32}, Arithmetic::move},
};
constexpr TypeTable<Gather> gatherTypes[] = {{.rows = gatherRows}};

constexpr RuleBook<Load> bookOf(Of<Load>) { return {loadOperands, transferTypes<Load>, loadRules}; }
constexpr RuleBook<Store> bookOf(Of<Store>) { return {storeOperands, transferTypes<Store>, storeRules}; }
constexpr RuleBook<Multicast> bookOf(Of<Multicast>) {
  return {multicastOperands, transferTypes<Multicast>, multicastRules};
}
constexpr RuleBook<Gather> bookOf(Of<Gather>) { return {gatherOperands, gatherTypes, {}}; }

constexpr auto transferBooks =
    collectBooks(InstructionsOf<Family::transfer>(), [](auto of) { return bookOf(of); });

} // namespace

const RuleBooks<InstructionsOf<Family::transfer>> &booksOf(In<Family::transfer>) { return transferBooks; }

} // namespace tilerig::rules

// MLIR operations for instructions: a template that makes one operation class of each type listed in
// isa/Instructions/Instruction.h. An operation holds its instruction as a property and prints as assembler
// text behind the dialect's prefix:
//
//   isa.load source=i8 ddr[0x2000] <8> destination=i8 ocm[0x0] <8>
//
// Floats are the exception: they are printed as MLIR prints them. The generic form has a dictionary of all
// fields that differ from their defaults, under the field paths that messages use, for example {source.base =
// 8192 : i64}.
#pragma once

#include "isa/Instructions/Instruction.h"

#include <array>
#include <mlir/IR/Dialect.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/OpImplementation.h>

namespace tilerig::compiler::isa {

// The functions of InstructionOp that are the same for all types of instructions. Before parsing or setting
// fields, `instruction` must already hold an instruction of the wanted type.
mlir::ParseResult parseOperands(mlir::OpAsmParser &parser, Instruction &instruction);
void printOperands(mlir::OpAsmPrinter &printer, mlir::Operation *operation, const Instruction &instruction);
mlir::DictionaryAttr fieldsOf(mlir::MLIRContext *context, const Instruction &instruction);
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
mlir::LogicalResult setFields(Instruction &instruction, mlir::Attribute fields, EmitError emitError);
llvm::hash_code hashOf(const Instruction &instruction);
mlir::LogicalResult verifyRanges(mlir::Operation *operation, const Instruction &instruction);

template <class Concrete>
class IsInstruction : public mlir::OpTrait::TraitBase<Concrete, IsInstruction> {};

namespace detail {
template <class T, template <class> class... Traits>
using InstructionBase =
    mlir::Op<T, mlir::OpTrait::ZeroRegions, mlir::OpTrait::ZeroResults, mlir::OpTrait::ZeroSuccessors,
             mlir::OpTrait::ZeroOperands, IsInstruction, Traits...>;
template <class Concrete, class T>
struct BaseOf {
  using type = InstructionBase<Concrete>;
};
template <class Concrete>
struct BaseOf<Concrete, Halt> {
  using type = InstructionBase<Concrete, mlir::OpTrait::IsTerminator>;
};
} // namespace detail

template <class T>
class InstructionOp : public detail::BaseOf<InstructionOp<T>, T>::type {
public:
  using Base = typename detail::BaseOf<InstructionOp<T>, T>::type;
  using Base::Base;
  using Properties = Instruction;

  static llvm::StringRef getOperationName() { return {operationName.data(), operationName.size()}; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }

  static mlir::ParseResult parse(mlir::OpAsmParser &parser, mlir::OperationState &result) {
    Instruction &instruction = result.getOrAddProperties<Instruction>();
    instruction = T{};
    return mlir::failure(parseOperands(parser, instruction) ||
                         parser.parseOptionalAttrDict(result.attributes));
  }
  void print(mlir::OpAsmPrinter &printer) {
    printOperands(printer, this->getOperation(), this->getProperties());
    printer.printOptionalAttrDict(this->getOperation()->getDiscardableAttrDictionary().getValue());
  }
  mlir::LogicalResult verify() { return verifyRanges(this->getOperation(), this->getProperties()); }

  static void populateDefaultProperties(mlir::OperationName, Instruction &instruction) {
    if (!std::holds_alternative<T>(instruction))
      instruction = T{};
  }
  static mlir::LogicalResult setPropertiesFromAttr(Instruction &instruction, mlir::Attribute fields,
                                                   EmitError emitError) {
    instruction = T{};
    return setFields(instruction, fields, emitError);
  }
  static mlir::Attribute getPropertiesAsAttr(mlir::MLIRContext *context, const Instruction &instruction) {
    return fieldsOf(context, instruction);
  }
  static llvm::hash_code computePropertiesHash(const Instruction &instruction) { return hashOf(instruction); }
  // An operation of this dialect has no MLIR attributes, because the fields of its instruction are stored as
  // a property.
  static std::optional<mlir::Attribute> getInherentAttr(mlir::MLIRContext *, const Instruction &,
                                                        llvm::StringRef) {
    return {};
  }
  static void setInherentAttr(Instruction &, llvm::StringRef, mlir::Attribute) {}
  static void populateInherentAttrs(mlir::MLIRContext *, const Instruction &, mlir::NamedAttrList &) {}
  static mlir::LogicalResult verifyInherentAttrs(mlir::OperationName, mlir::NamedAttrList &, EmitError) {
    return mlir::success();
  }

private:
  static constexpr auto operationName = [] {
    constexpr std::string_view prefix = "isa.";
    std::array<char, prefix.size() + T::mnemonic.size()> name{};
    std::ranges::copy(T::mnemonic, std::ranges::copy(prefix, name.begin()).out);
    return name;
  }();
};

// isInstruction(): whether an operation holds an instruction. instructionOf(): that instruction.
// createInstruction(): creates an operation that holds a given instruction.
inline bool isInstruction(mlir::Operation *operation) { return operation->hasTrait<IsInstruction>(); }
const Instruction &instructionOf(mlir::Operation *operation);
mlir::Operation *createInstruction(mlir::OpBuilder &builder, mlir::Location location,
                                   const Instruction &instruction);

} // namespace tilerig::compiler::isa

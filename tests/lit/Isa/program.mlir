// RUN: tilerig-opt %s -mlir-print-debuginfo | tilerig-opt -mlir-print-debuginfo | FileCheck %s
// RUN: tilerig-opt %s -mlir-print-op-generic | tilerig-opt | FileCheck %s --check-prefix=GENERIC
// RUN: tilerig-compile %s --from isa --emit asm -o %t.trasm && FileCheck %s --check-prefix=ASM < %t.trasm
// RUN: tilerig-compile %s --from isa --emit isa -o %t.mlir
// RUN: tilerig-compile %t.mlir --from isa -o %t.2.trb
// RUN: tilerig-compile %s --from isa -o %t.1.trb && cmp %t.1.trb %t.2.trb
// RUN: tilerig-asm %t.trasm -o %t.3.trb && cmp %t.1.trb %t.3.trb

// Eight bytes go from DDR to tile 0, to tile 1, and back. Fields with default values are not printed.
isa.program "two" on "tiny" tiles 2 ranges about {producer = "by hand"} {
  isa.layer 0 "copy" {kind = "Copy", onnx_nodes = ["first", "second"], where = "accelerator"} loc("first")
  isa.constant ddr[0x1000] dense<[1, -2, 30, 30]> : tensor<4xi8>
  isa.tensor "x" {dtype = "float32", shape = [1, 8], stored_type = "i8", scale = 0.5 : f32, role = "INPUT",
                  pieces = [{ddr = true, address = 8192, begin = [0, 0], extent = [1, 8], stride = [8, 1]}]}
  isa.tensor "y" {dtype = "float32", shape = [1, 8], stored_type = "i8", scale = 0.5 : f32, role = "OUTPUT",
                  pieces = [{ddr = true, address = 12288, begin = [0, 0], extent = [1, 8], stride = [8, 1]}]}
  isa.stage "main" inference {
    isa.tile 0 {
      // 8192 is printed as 0x2000.
      isa.load layer=0 clip=0 source=i8 ddr[8192] <1, 8*1> destination=i8 ocm[0] <8> loc("first")
      isa.load source=i8 ddr[0x1000] <4> destination=i8 ocm[64] <4>
      isa.sync engine=pe on=dma_in pending=1
      isa.activate
        finish={function=clip alpha=-0.1 beta=6.5 output={scale=0.5} clamp_low=-128 clamp_high=127}
        input_affine={scale=0.5} input=i8 ocm[0x0] <8> output=i8 ocm[0x200] <8>
      isa.signal engine=dma_in tile=1 semaphore=0
      isa.halt
    }
    isa.tile 1 {
      isa.wait engine=dma_in semaphore=0
      isa.load source=i8 remote 0[0] <8> destination=i8 ocm[0] <8>
      isa.sync engine=dma_out on=dma_in
      isa.store source=i8 ocm[0] <8> destination=i8 ddr[0x3000] <8>
      isa.halt
    }
  }
}

// CHECK: isa.program "two" on "tiny" tiles 2 ranges about {producer = "by hand"} {
// CHECK-NEXT: isa.layer 0 "copy" {kind = "Copy", onnx_nodes = ["first", "second"], where = "accelerator"} loc(#[[FIRST:loc[0-9]+]])
// CHECK-NEXT: isa.constant ddr[0x1000] dense<[1, -2, 30, 30]> : tensor<4xi8>
// CHECK-NEXT: isa.tensor "x" {dtype = "float32", pieces = [{address = 8192 : i64
// CHECK: isa.stage "main" inference {
// CHECK-NEXT: isa.tile 0 {
// CHECK-NEXT: isa.load source=i8 ddr[0x2000] <8> destination=i8 ocm[0x0] <8> loc(#[[FIRST]])
// CHECK-NEXT: isa.load source=i8 ddr[0x1000] <4> destination=i8 ocm[0x40] <4> loc
// CHECK-NEXT: isa.sync engine=pe on=dma_in pending=1
// CHECK-NEXT: isa.activate input_affine={scale=0.5}
// CHECK-NEXT: finish={
// CHECK-NEXT: function=clip clamp_low=-128 clamp_high=127 alpha=-0.1 beta=6.5 output={scale=0.5}
// CHECK-NEXT: }
// CHECK-NEXT: input=i8 ocm[0x0] <8>
// CHECK-NEXT: output=i8 ocm[0x200] <8>
// CHECK-NEXT: isa.signal engine=dma_in tile=1 semaphore=0 amount=1
// CHECK-NEXT: isa.halt
// CHECK: isa.tile 1 {
// CHECK: isa.load source=i8 remote 0[0x0] <8> destination=i8 ocm[0x0] <8>
// CHECK: #[[FIRST]] = loc("first")

// GENERIC: isa.load source=i8 ddr[0x2000] <8> destination=i8 ocm[0x0] <8>
// GENERIC: isa.activate input_affine={scale=0.5}

// ASM: .machine tiny
// ASM-NEXT: .tiles 2
// ASM: producer: "by hand"
// ASM: onnx_nodes: "first"
// ASM: primitive: "activate"
// ASM: .constant 0x1000 hex [01fe1e1e]
// ASM: .input "x" float32 [1, 8] stored=i8 scale=0.5 ddr[0x2000]
// ASM: .tile 0
// ASM-NEXT: load source=i8 ddr[0x2000] <8> destination=i8 ocm[0x0] <8>

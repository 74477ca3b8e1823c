// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// A convolution is a product of features and pixels, its depth the window's
// positions by the input's features. Where a position is beside the input, a
// NaN of its own lies in shared memory, and what meets it is not added: not
// even a zero.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.block = array<i32: 64>
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK: scf.for %{{.*}} = %c1 to %c5 step %c1
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: scf.if %[[INSIDE]] -> (f32)
// CHECK: else
// CHECK-NEXT: scf.yield %[[HOLE:.*]] : f32
// CHECK: %[[X:.*]] = vector.extract %{{.*}}[0] : f32 from vector<4xf32>
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.cmpi {{eq|ne}}, %[[BITS]]
// CHECK: llvm.inline_asm "@$13 fma.rn.f32 $0, $12, $8, $0;{{.*}} fma.rn.f32 $3, $12, $11, $3;", "=f,=f,=f,=f,0,1,2,3,f,f,f,f,f,b"
smp.entry @padded(%x: tensor<1x4x8x9xf32> {smp.name = "x"}, %w: tensor<18x4x3x3xf32> {smp.name = "w"}) -> (tensor<1x18x8x9xf32> {smp.name = "y"}) {
  %0 = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x8x9xf32>, tensor<18x4x3x3xf32>) -> tensor<1x18x8x9xf32>
  smp.return %0 : tensor<1x18x8x9xf32>
}

// Without padding nothing is guarded.
// CHECK-LABEL: func.func @k1_sm_80(
// CHECK: llvm.intr.fmuladd
// CHECK-NOT: llvm.inline_asm
smp.entry @inside(%x: tensor<1x4x8x9xf32> {smp.name = "x"}, %w: tensor<18x4x3x3xf32> {smp.name = "w"}) -> (tensor<1x18x6x7xf32> {smp.name = "y"}) {
  %0 = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x8x9xf32>, tensor<18x4x3x3xf32>) -> tensor<1x18x6x7xf32>
  smp.return %0 : tensor<1x18x6x7xf32>
}

// A window of one element that moves by one leaves pixels side by side.
// CHECK-LABEL: func.func @k2_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<576xf32, 1>
// CHECK: vector.load %[[X]]{{.*}} {alignment = 16 : i64} : memref<576xf32, 1>, vector<4xf32>
smp.entry @pointwise(%x: tensor<1x16x6x6xf32> {smp.name = "x"}, %w: tensor<18x16x1x1xf32> {smp.name = "w"}) -> (tensor<1x18x6x6xf32> {smp.name = "y"}) {
  %0 = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x16x6x6xf32>, tensor<18x16x1x1xf32>) -> tensor<1x18x6x6xf32>
  smp.return %0 : tensor<1x18x6x6xf32>
}

// One channel by filters of its own: a thread per result.
// CHECK-LABEL: func.func @k3_sm_80(
// CHECK-NOT: nvvm.barrier0
smp.entry @depthwise(%x: tensor<1x16x6x6xf32> {smp.name = "x"}, %w: tensor<16x1x3x3xf32> {smp.name = "w"}) -> (tensor<1x16x4x4xf32> {smp.name = "y"}) {
  %0 = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 16 : i64} : (tensor<1x16x6x6xf32>, tensor<16x1x3x3xf32>) -> tensor<1x16x4x4xf32>
  smp.return %0 : tensor<1x16x4x4xf32>
}

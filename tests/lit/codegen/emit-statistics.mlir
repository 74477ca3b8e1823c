// RUN: smp-opt %s "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// A tile is a block of one of the values, which is found by halves; what is
// done with it is a function. The first eighth of a block is summed, then all
// of it in one walk; where that does not suffice, all again in f64, in two.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<7xf32> {llvm.noalias}, %[[B:[a-z0-9]+]]: memref<20000xf32> {llvm.noalias}
// CHECK-SAME: smp.grid = array<i64: 4, 1, 1>
// CHECK: %[[ISFIRST:.*]] = arith.cmpi ult, %{{.*}}, %c1
// CHECK: %[[ELEMENTS:.*]] = arith.select %[[ISFIRST]], %c7, %c20000
// CHECK: %[[FOUND:.*]]:3 = scf.if %[[ISFIRST]]
// CHECK: memref.reinterpret_cast %[[A]]
// CHECK: memref.reinterpret_cast %[[B]]
// CHECK: call @statistics.f32(%[[FOUND]]#0, %[[FOUND]]#1, %[[FOUND]]#2, %[[ELEMENTS]])
// CHECK-LABEL: func.func private @statistics.f32(
// CHECK: arith.minui %{{.*}}, %c1024
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.select
// CHECK: fmuladd({{.*}}) : (vector<8xf32>
// CHECK: scf.if
// CHECK: scf.for
// CHECK: fmuladd({{.*}}) : (vector<8xf64>
smp.stage @s(%a: tensor<7xf32>, %b: tensor<20000xf32>) -> (tensor<1x10xf64>, tensor<3x10xf64>) attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %0:2 = smp.group whole(%a, %b) : (tensor<7xf32>, tensor<20000xf32>) -> (tensor<1x10xf64>, tensor<3x10xf64>) {
  ^bb0(%x: tensor<7xf32>, %y: tensor<20000xf32>):
    %1 = smp.statistics %x : (tensor<7xf32>) -> tensor<1x10xf64>
    %2 = smp.statistics %y : (tensor<20000xf32>) -> tensor<3x10xf64>
    smp.return %1, %2 : tensor<1x10xf64>, tensor<3x10xf64>
  }
  smp.return %0#0, %0#1 : tensor<1x10xf64>, tensor<3x10xf64>
}

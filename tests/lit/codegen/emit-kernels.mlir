// RUN: smp-opt %s "--smp-emit-kernels=level=v4" | FileCheck %s
// RUN: smp-opt %s --smp-emit-kernels | FileCheck %s --check-prefix=DEFAULT

// Equal groups share a kernel, whatever they are called and wherever they are;
// what has no elements has none. Dimensions that all ops treat alike are one.
// CHECK-NOT: smp.stage
// CHECK: func.func @k0_v4(%{{.*}}: memref<32xf32>
// CHECK: vector<16xf32>
// CHECK: func.func @k1_v4(
// CHECK: math.absf
// CHECK-NOT: func.func
// DEFAULT: func.func @k0_v3(
smp.stage @a(%x: tensor<2x16xf32>, %e: tensor<0x4xf32>) -> (tensor<2x16xf32>, tensor<0x4xf32>) attributes {partition = 0 : i64} {
  %0 = smp.group loop(%x) : (tensor<2x16xf32>) -> tensor<2x16xf32> {
  ^bb0(%a: tensor<2x16xf32>):
    %b = smp.neg %a : tensor<2x16xf32>
    smp.return %b : tensor<2x16xf32>
  }
  %1 = smp.group loop(%e) : (tensor<0x4xf32>) -> tensor<0x4xf32> {
  ^bb0(%a: tensor<0x4xf32>):
    %b = smp.neg %a : tensor<0x4xf32>
    smp.return %b : tensor<0x4xf32>
  }
  smp.return %0, %1 : tensor<2x16xf32>, tensor<0x4xf32>
}
smp.stage @b(%x: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) attributes {partition = 1 : i64} {
  %0 = smp.group loop(%x) : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%a: tensor<32xf32>):
    %b = smp.neg %a : tensor<32xf32>
    smp.return %b : tensor<32xf32>
  }
  %1 = smp.group loop(%x) : (tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%a: tensor<32xf32>):
    %b = smp.abs %a : tensor<32xf32>
    smp.return %b : tensor<32xf32>
  }
  smp.return %0, %1 : tensor<32xf32>, tensor<32xf32>
}

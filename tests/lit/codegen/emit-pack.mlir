// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// A tile per panel of two vectors of columns; the last is filled with zeros.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[B:[a-z0-9]+]]: memref<160xf32> {llvm.noalias}, %[[P:[a-z0-9]+]]: memref<256xf32> {llvm.noalias}
// CHECK-SAME: %[[PANEL:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index)
// CHECK-SAME: smp.grid = array<i64: 2, 1, 1>
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[PANEL]], %c1 : index
// CHECK: scf.if %[[LAST]] {
// CHECK: vector.maskedload %[[B]]
// CHECK: vector.store %cst, %[[P]]
// CHECK: } else {
// CHECK-NOT: maskedload
// CHECK-COUNT-2: vector.store {{.*}} : memref<256xf32>, vector<8xf32>
smp.entry @f(%b: tensor<1x8x20xf32> {smp.name = "b"}) -> (tensor<256xf32> {smp.name = "p"}) {
  %p = smp.pack %b : (tensor<1x8x20xf32>) -> tensor<256xf32>
  smp.return %p : tensor<256xf32>
}

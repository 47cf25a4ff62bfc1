<?php
namespace A;
use B\C as D;
class Big extends Base implements I {
    const KEY = 'secret123';
    private string $p = "x";
    public function walk(int $a, $b = 1) {
        if ($a) { foreach ($b as $c) { switch ($a) { case 1: break; default: } } }
        elseif ($a < 0) { } else if ($z) { }
        try { f(); } catch (\Exception $e) { } catch (A|B $e) { error_log("x"); throw $e; }
        var_dump($a); echo "hi {$a}";
        return $this->p;
    }
    public function __construct() {}
    abstract function sig();
    private function stub() { throw new \Exception("Not implemented"); }
}

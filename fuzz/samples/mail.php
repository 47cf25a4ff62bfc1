<html><?= $title ?>
<?php
declare(strict_types=1);
namespace App\Mail { use App\{Log, Queue as Q}; use function strlen;
#[Attribute(flags: Attribute::TARGET_CLASS)]
final readonly class Mailer extends Base implements Sends { use Loggable { log as protected; }
    public const int MAX = 0b11; private static ?self $one = null;
    public function __construct(private string $from = 'a\'b', protected int|null ...$rest) { parent::__construct(); }
    abstract protected function &send(array &$to = [], callable $f = null): static|false;
    public function body(): string {
        $text = <<<HTML
          <p class="{$this->a['b']->c()}">$name[0] ${x}</p>
          HTML . <<<'RAW'
        raw $x
        RAW;
        foreach ($to as $key => [$a, 'b' => $c]): if ($a): continue 2; elseif ($c): break; else: endif; endforeach;
        $f = fn(int $x): int => $x <=> 1; $g = static function () use (&$text) { yield from $text; };
        try { $x = match (true) { $a > 1, $b => 'x', default => throw new \LogicException('TODO') }; }
        catch (A | B) { } finally { echo "done {$x}", PHP_EOL; }
        switch ($a) { case 1: default: goto end; } end:
        return $this?->name ?? (string) @$list[1] . `ls` . new class(1) { public $y; };
    }
}
enum Status: string { case Open = 'open'; public static function of(): self { return self::Open; } } }
?>
</html>

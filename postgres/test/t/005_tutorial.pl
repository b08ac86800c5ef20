# The tutorial of docs/postgres.md, line by line: commands stand behind a prompt, what psql shows below them; "..." is anything.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @steps;
my ($inside, $step) = (0, undef);
for (split /\n/, slurp_file("$ENV{TESTDIR}/postgres.md"))
{
	$inside = $1 eq 'Tutorial' if /^## (.*)/;
	next unless $inside && s/^    //;
	if (/^hospital[=][#>] (.*)/) { push @steps, $step = { sql => $1, shows => '' }; }
	elsif (/^hospital-[#>] (.*)/) { $step->{sql} .= "\n$1"; }
	elsif (defined $step) { $step->{shows} .= "$_\n"; }
}
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE hospital');
my ($in, $out) = ('', '');
my $run = IPC::Run::start([ 'psql', '-Xq', '-d', $node->connstr('hospital'), '-f', '-' ], '<', \$in, '>', \$out, '2>&1', IPC::Run::timeout(120));
cmp_ok(scalar @steps, '>', 15, 'the tutorial has steps');
for my $i (0 .. $#steps)
{
	$out = '';
	$in .= "$steps[$i]{sql}\n\\warn done$i\n";
	$run->pump until $out =~ s/done$i\n//;
	my $shown = $out =~ s/^psql:<stdin>:\d+: //mgr;
	s/[ \t]+$//mg, s/\n+$//s for $shown, $steps[$i]{shows};
	my $pattern = join '', map { $_ eq '...' ? '.*' : quotemeta } split /^(\.\.\.)$/m, $steps[$i]{shows};
	like($shown, qr/^$pattern$/s, (split /\n/, $steps[$i]{sql})[0]);
}
$in .= "\\q\n";
$run->finish;
$node->stop;
done_testing();
